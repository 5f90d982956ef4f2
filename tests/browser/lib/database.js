// The databases of a run: SQLite always, and PostgreSQL where BINDERY_TEST_POSTGRES names a server.
import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The databases on which the tests run. */
export function engines() {
    return process.env.BINDERY_TEST_POSTGRES ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
}

async function execute(statement) {
    const client = new pg.Client({ connectionString: process.env.BINDERY_TEST_POSTGRES });
    await client.connect();
    try {
        await client.query(statement);
    } finally {
        await client.end();
    }
}

/** Creates an empty database of a kind; the address is absent for SQLite, which the server creates. */
export async function createDatabase(engine) {
    if (engine === 'SQLite') {
        return { address: undefined, async drop() {} };
    }
    const name = `browser_${randomUUID().replaceAll('-', '')}`;
    await execute(`CREATE DATABASE ${name} TEMPLATE template0`);
    const address = new URL(process.env.BINDERY_TEST_POSTGRES);
    address.pathname = `/${name}`;
    return {
        address: address.href,
        drop: () => execute(`DROP DATABASE ${name} WITH (FORCE)`),
    };
}

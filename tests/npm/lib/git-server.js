// A local Git server over smart HTTP: `git http-backend` behind Node's HTTP server.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PERSON = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];

/** Serves one bare repository, to which `commit` adds commits. */
export async function startGitServer() {
    const root = mkdtempSync(join(tmpdir(), 'bindery-git-'));
    const work = join(root, 'work');
    const git = (...args) =>
        execFileSync('git', [...PERSON, '-C', work, ...args], { encoding: 'utf8' }).trim();
    mkdirSync(work);
    git('init', '--quiet', '--initial-branch=main');
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(root, 'docs.git')]);

    const server = createServer((request, response) => serve(root, request, response));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
        url: `http://127.0.0.1:${server.address().port}/docs.git`,
        /** Writes, commits and pushes files; returns the id of the commit. */
        commit(message, files) {
            for (const [path, content] of Object.entries(files)) {
                mkdirSync(dirname(join(work, path)), { recursive: true });
                writeFileSync(join(work, path), content);
            }
            git('add', '--all');
            git('commit', '--quiet', '--message', message);
            git('push', '--quiet', join(root, 'docs.git'), 'main');
            return git('rev-parse', 'HEAD');
        },
        async stop() {
            server.closeAllConnections();
            await new Promise((resolve) => server.close(resolve));
            rmSync(root, { recursive: true, force: true });
        },
    };
}

/** Answers a request with `git http-backend`, a CGI program (RFC 3875). */
function serve(root, request, response) {
    const url = new URL(request.url, 'http://localhost');
    const backend = spawn('git', ['http-backend'], {
        env: {
            PATH: process.env.PATH,
            GIT_PROJECT_ROOT: root,
            GIT_HTTP_EXPORT_ALL: '1',
            GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
            REQUEST_METHOD: request.method,
            PATH_INFO: decodeURIComponent(url.pathname),
            QUERY_STRING: url.search.slice(1),
            CONTENT_TYPE: request.headers['content-type'] ?? '',
            CONTENT_LENGTH: request.headers['content-length'] ?? '',
            HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
            REMOTE_ADDR: '127.0.0.1',
        },
        stdio: ['pipe', 'pipe', 'inherit'],
    });
    // The client may disconnect before the end.
    backend.stdin.on('error', () => {});
    request.pipe(backend.stdin);
    let head = Buffer.alloc(0);
    backend.stdout.on('data', function read(chunk) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) {
            return;
        }
        backend.stdout.off('data', read);
        for (const line of head.subarray(0, end).toString('latin1').split('\r\n')) {
            const [name, value] = line.split(/:\s*/, 2);
            if (name.toLowerCase() === 'status') {
                response.statusCode = Number.parseInt(value, 10);
            } else {
                response.setHeader(name, value);
            }
        }
        response.write(head.subarray(end + 4));
        backend.stdout.pipe(response);
    });
}

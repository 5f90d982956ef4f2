// A proxy between the browser and the server that passes requests, but no sockets.
import { createServer, request } from 'node:http';

/** Starts the proxy. Returns its address, the number of sockets that it refused, and what ends it. */
export async function startProxy(server) {
    const { host, hostname, port } = new URL(server);
    let refused = 0;
    const proxy = createServer((incoming, outgoing) => {
        const { method, url: path } = incoming;
        // A session belongs to the host at which it began.
        const headers = { ...incoming.headers, host, ...(incoming.headers.origin && { origin: server }) };
        const passed = request({ hostname, port, method, path, headers }, (answer) => {
            outgoing.writeHead(answer.statusCode, answer.headers);
            answer.pipe(outgoing);
        });
        passed.on('error', () => outgoing.destroy());
        outgoing.on('close', () => passed.destroy());
        incoming.pipe(passed);
    });
    proxy.on('upgrade', (_request, socket) => {
        refused += 1;
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    return {
        address: `http://127.0.0.1:${proxy.address().port}`,
        get refused() {
            return refused;
        },
        stop() {
            proxy.closeAllConnections();
            proxy.close();
        },
    };
}

// Reference of (g), the echo, and of (h): bare ws, which echoes each message.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer((_request, response) => response.end());
const sockets = new WebSocketServer({ server, path: '/ws', perMessageDeflate: false, clientTracking: false, maxPayload: 65_536 });
sockets.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));

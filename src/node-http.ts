// A static import reads every export of node:http, and so loads Node's fetch and WebSocket with it: 6 MB of each process.
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');

// Reference of (c) and (d): a bare Express app that opens a pg pool before it reports that it is ready.
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '' });
await pool.query('select 1');

const app = express();
app.get(['/test', '/health/ready'], (_request, response) => {
  response.json({ status: 'success', service: 'steward', environment: 'production', connections: 0 });
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', port: (server.address() as AddressInfo).port }));
});
process.on('SIGTERM', () => process.exit(0));

// Reference of (a): a bare Express app that returns the body of GET /test.
import express from 'express';

const app = express();
const body = () => ({ status: 'success', service: 'steward', environment: 'production', connections: 0 });
app.get(['/test', '/health/ready'], (_request, response) => {
  response.json(body());
});
app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));

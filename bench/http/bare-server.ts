import Fastify from 'fastify';

/** A child process: is told what to serve, and tells where. */
process.once('message', async ({ path, body }: { path: string; body: string }) => {
  const app = Fastify();
  app.get(path, (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(body);
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});
process.once('disconnect', () => process.exit());

# syntax=docker/dockerfile:1
# Two images from one file:
#   docker build --target development -t steward:development .   everything, the sandbox included
#   docker build --target production -t steward .                production dependencies only, no sandbox

# The version that package-lock.json pins for everything outside of an image.
FROM node:24.21.0-slim AS base
WORKDIR /app
# In a container, loopback would be reachable from the inside only.
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The heap's young part, MB. By default it begins so small that a start spends its time clearing it, and grows to
# four times that under a burst, and stays. Helper threads for collecting it take more of two busy processors than
# they take off the main thread.
CMD ["node", "--no-parallel-scavenge", "--min-semi-space-size=4", "--max-semi-space-size=16", "src/start.js"]

FROM base AS development
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund && npm cache clean --force
COPY . .
# The sandbox signs anyone in: publish the port on loopback only, as compose.yaml does.
ENV NODE_ENV=development SANDBOX=expose DATA_DIR=/data PUBLIC_URL=http://127.0.0.1:8080
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node

FROM base AS dependencies
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY scripts/prune-production.mjs scripts/googleapis-apis.json ./scripts/
RUN node scripts/prune-production.mjs

# What production runs: without the sandbox, the tests and the tools.
FROM base AS source
COPY package.json integrations.yaml LICENSE ./
COPY migrations ./migrations
COPY public ./public
COPY client ./client
COPY src ./src

FROM base AS production
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=source /app ./
# Leaves the compiled code behind, which halves the time of every start. After that nothing is written: the image
# works with a read-only root file system.
RUN mkdir -p node_modules/.cache/steward && chown node:node node_modules/.cache/steward
USER node
RUN node src/startup/warm-module-cache.js

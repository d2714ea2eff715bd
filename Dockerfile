# syntax=docker/dockerfile:1
# Two images from one file:
#   docker build --target development -t steward:development .   everything, including the sandbox
#   docker build --target production -t steward .                production dependencies only, no sandbox

# The version that package-lock.json pins outside of images.
FROM node:24.21.0-slim AS base
WORKDIR /app
# Loopback would be reachable only within the container.
ENV HOST=0.0.0.0 PORT=8080
# Of the heap's young generation, MB: by default it grows to twice as much under load, and stays there.
ENV NODE_OPTIONS=--max-semi-space-size=32
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/start.js"]

FROM base AS development
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund && npm cache clean --force
COPY . .
# The sandbox signs in any user: publish the port on loopback only, as compose.yaml does.
ENV NODE_ENV=development SANDBOX=expose DATA_DIR=/data PUBLIC_URL=http://127.0.0.1:8080
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node

FROM base AS dependencies
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY scripts/prune-production.mjs ./scripts/
RUN node scripts/prune-production.mjs

# What production starts: src/ in few files (docs/decisions/0016-packages-and-bundle.md).
FROM base AS bundle
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY scripts/bundle.ts ./scripts/
COPY public/language ./public/language
COPY src ./src
RUN node scripts/bundle.ts

# Production: without the sandbox, tests and tools. Worker threads and commands run from src/.
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
COPY --from=bundle /app/dist ./dist
CMD ["node", "dist/start.js"]
# Stores the compiled code, which saves a fifth of the time of every start. Nothing is written later: the image works with a
# read-only root file system.
RUN mkdir -p node_modules/.cache/steward && chown node:node node_modules/.cache/steward
USER node
RUN node dist/warm-module-cache.js

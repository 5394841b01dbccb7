/** Packages that stay outside the bundles: with native parts, or loaded only after the server listens. `*` ends a scope. */
export const EXTERNAL_PACKAGES: readonly string[] = ['lmdb', 'etcd3', '@grpc/grpc-js', '@opentelemetry/*']

export const isExternal = (name: string): boolean =>
  EXTERNAL_PACKAGES.some(pattern => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))

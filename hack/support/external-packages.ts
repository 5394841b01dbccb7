/** Packages that stay outside the bundles: they are loaded only after the server listens. `*` ends a scope. */
export const EXTERNAL_PACKAGES: readonly string[] = ['etcd3', '@grpc/grpc-js', '@opentelemetry/*']

/** Packages whose JavaScript is bundled and whose addon stays outside: see `addon-beside.ts`. */
export const NATIVE_PACKAGES: readonly string[] = ['fs-native-extensions', 'lmdb']

export const isExternal = (name: string): boolean =>
  EXTERNAL_PACKAGES.some(pattern => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))

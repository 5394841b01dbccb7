import type { Config } from '../config/config.ts'
import type { EtcdConfig } from '../config/etcd-config.ts'
import type { StorageConfig } from '../config/store-config.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import type { ConnectProxy, Egress } from '../lib/connect-proxy.ts'
import { type AgreedValues, agreedValues } from '../storage/agreed-values.ts'
import type { Backend } from '../storage/backend.ts'
import type { EtcdOptions } from '../storage/etcd/options.ts'
import type { Encryption } from '../storage/value/encryption.ts'

/** Converts the configuration of etcd to the options of its client. */
export const etcdOptionsOf = (
  { servers, caFile, certFile, keyFile, leaseReuseSeconds }: EtcdConfig,
  proxy: ConnectProxy | undefined,
): EtcdOptions => ({
  servers,
  proxy,
  leaseReuseSeconds,
  ...(caFile !== undefined && { caFile }),
  ...(certFile !== undefined && { certFile }),
  ...(keyFile !== undefined && { keyFile }),
})

/** Opens the egress proxies of `--egress-selector-config-file`. Throws an EgressConfigError. */
export async function openEgress({ serving: { egressFile: file } }: Config): Promise<Egress> {
  if (file === undefined) return {}
  const { parseEgressFile } = await import('../server/egress/egress-selector-file.ts')
  return parseEgressFile(await readConfigFile(file))
}

/** Returns the values that the servers on a store share. They are encrypted like Secrets. */
export const secretsOf = (
  { etcdPrefix }: Pick<StorageConfig, 'etcdPrefix'>,
  backend: Pick<Backend, 'get' | 'write'>,
  encryption: Encryption,
): AgreedValues => agreedValues(backend, encryption.transformerFor({ group: '', resource: 'secrets' }), etcdPrefix)

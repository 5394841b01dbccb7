import type { Config } from '../config/config.ts'
import type { EtcdConfig } from '../config/store-config.ts'
import { type AgreedValues, agreedValues } from '../storage/agreed-values.ts'
import type { Backend } from '../storage/backend.ts'
import type { EtcdOptions } from '../storage/etcd/options.ts'
import type { Encryption } from '../storage/value/encryption.ts'

/** etcd as the configuration has it. */
export const etcdOptionsOf = ({ servers, caFile, certFile, keyFile }: EtcdConfig): EtcdOptions => ({
  servers,
  ...(caFile !== undefined && { caFile }),
  ...(certFile !== undefined && { certFile }),
  ...(keyFile !== undefined && { keyFile }),
})

/** What the servers on a store agree on, encrypted there as Secrets are. */
export const secretsOf = ({ etcdPrefix }: Config, backend: Pick<Backend, 'get' | 'write'>, encryption: Encryption): AgreedValues =>
  agreedValues(backend, encryption.transformerFor({ group: '', resource: 'secrets' }), etcdPrefix)

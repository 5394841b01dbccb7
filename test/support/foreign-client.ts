import { readFileSync } from 'node:fs'
import { Etcd3, type IOptions } from 'etcd3'
import type { EtcdOptions } from '../../src/storage/etcd/options.ts'

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>

/** Calls are made once, and no member is avoided after a failure. */
const unsubscribed = { dispose() {} }
const once = {
  execute: async (call: (context: object) => unknown) => call({}),
  onSuccess: () => unsubscribed,
  onFailure: () => unsubscribed,
} as unknown as Policy

/**
 * A client of etcd that shares no code with the server's calls. It reaches the store as the options say; certificates
 * have to be in files.
 */
export function foreignClient({ servers, caFile, certFile, keyFile }: EtcdOptions): Etcd3 {
  const files = { rootCertificate: caFile, privateKey: keyFile, certChain: certFile }
  const credentials = Object.fromEntries(
    Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [[name, readFileSync(file)]])),
  )
  return new Etcd3({
    hosts: [...servers],
    faultHandling: { global: once, host: () => once },
    ...(caFile !== undefined && {
      credentials: credentials as unknown as NonNullable<IOptions['credentials']>,
      // Without it the address is the server name, which Node 26 refuses.
      grpcOptions: { 'grpc.ssl_target_name_override': 'localhost' },
    }),
  })
}

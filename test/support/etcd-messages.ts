import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import protobuf from 'protobufjs'

// The oracle: etcd's own declarations, read by protobufjs.
const proto = join(dirname(createRequire(import.meta.url).resolve('etcd3/package.json')), 'proto', 'rpc.proto')
const root = new protobuf.Root()
root.resolvePath = (_, target) => join(dirname(proto), target.replace(/^.*\//, ''))
root.loadSync(proto, { keepCase: true })

const typeOf = (name: string) => root.lookupType(`etcdserverpb.${name}`)

/** The bytes of a message of etcd: `TxnResponse`. */
export const etcdMessage = (name: string, message: object): Buffer =>
  Buffer.from(typeOf(name).encode(typeOf(name).fromObject(message)).finish())

/** Decodes the bytes of a message: 64-bit numbers as text, bytes in base64. */
export const readEtcdMessage = (name: string, bytes: Buffer): Record<string, unknown> =>
  typeOf(name).toObject(typeOf(name).decode(bytes), { longs: String, enums: String, bytes: String })

/** A method of etcd's API, with the names of its messages. */
export interface EtcdMethod {
  readonly service: string
  readonly method: string
  readonly request: string
  readonly response: string
  /** In both directions. */
  readonly isStream: boolean
}

/** All methods but snapshots, whose responses alone are a stream. */
export function etcdMethods(): EtcdMethod[] {
  const services = root.lookup('etcdserverpb') as protobuf.Namespace
  return services.nestedArray.flatMap(service =>
    service instanceof protobuf.Service
      ? service.methodsArray
          .filter(({ requestStream, responseStream }) => Boolean(requestStream) === Boolean(responseStream))
          .map(({ name, requestType, responseType, requestStream }) => ({
            service: service.name,
            method: name,
            request: requestType,
            response: responseType,
            isStream: Boolean(requestStream),
          }))
      : [],
  )
}

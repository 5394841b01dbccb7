import type { LookupAddress } from 'node:dns'
import type { KubeObject } from '../meta/object.ts'
import type { StructSchema } from '../schema/schema.ts'

/**
 * A subresource that reaches out of the server: `log` reads a text that is streamed, `upgrade` leaves HTTP (exec, attach, portforward), `proxy` passes on whatever comes,
 * upgraded or not. Its options come with the query.
 */
export interface ConnectSubresource {
  readonly how: 'log' | 'upgrade' | 'proxy'
  /** Of `upgrade`: what is spoken, so that it can be translated for clients that speak it over a WebSocket. */
  readonly speaks?: 'remote command' | 'port forward'
  /** HTTP methods. */
  readonly methods: readonly string[]
  readonly options: StructSchema
  /** What follows the subresource in the path is the option `path`. */
  readonly subpath?: true
  /** Where the request goes; undefined where there is nothing to read yet. Throws a StatusError where it can't go anywhere. */
  locate(call: ConnectCall): Promise<Destination | undefined>
}

/** Reads an object as the server itself. */
export interface ObjectReader {
  get(
    id: { readonly group: string; readonly resource: string },
    namespace: string,
    name: string,
    options?: { readonly resourceVersion?: string },
  ): Promise<KubeObject>
}

/** A request that leaves the server. */
export interface ConnectCall {
  readonly namespace: string
  /** As the path has it: proxies may say `scheme:name:port`. */
  readonly name: string
  /** By the names of their fields; those not given are absent. */
  readonly options: ConnectOptions
  readonly api: ObjectReader
  readonly kubelets: KubeletAddresses
}

/** Times are in RFC 3339. */
export type ConnectOptions = Readonly<Record<string, string | number | boolean | string[] | number[]>>

/** How nodes are reached: `--kubelet-preferred-address-types`, and the port of those that report none. */
export interface KubeletAddresses {
  readonly addressTypes: readonly string[]
  readonly port: number
}

/**
 * `kubelet`: its certificate is checked by the CA for kubelets, and ours is shown. `unverified kubelet`: ours is shown all the same. `anything`: neither, as pods and services bring
 * certificates of their own.
 */
export type Trust = 'kubelet' | 'unverified kubelet' | 'anything'

/** Where it goes. */
export interface Destination {
  readonly scheme: 'http' | 'https'
  /** A name or an address, the latter without brackets. */
  readonly host: string
  /** What the host stands for, where that has been looked up: the connection goes there, and nothing is looked up again. */
  readonly addresses?: readonly LookupAddress[]
  /** Empty: the scheme's. */
  readonly port: string
  /** Not escaped. */
  readonly path: string
  /** Escaped, without `?`. */
  readonly query: string
  readonly trust: Trust
}

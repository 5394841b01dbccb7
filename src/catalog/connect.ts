import type { LookupAddress } from 'node:dns'
import type { Node } from '../api/core/v1.types.ts'
import type { KubeObject } from '../api/meta/object.ts'
import type { OpenConnection } from '../lib/in-process-connection.ts'
import type { StructSchema } from '../schema/schema.ts'

/**
 * A subresource that connects to another server: `log` streams a text, `upgrade` leaves HTTP (exec, attach,
 * portforward), `proxy` forwards any request, upgraded or not. Its options are query parameters.
 */
export interface ConnectSubresource {
  /** Form of the connection, as described above. */
  readonly how: 'log' | 'upgrade' | 'proxy'
  /** Protocol of an `upgrade`, which is translated for clients that use it over a WebSocket. */
  readonly speaks?: 'remote command' | 'port forward'
  /** HTTP methods. */
  readonly methods: readonly string[]
  /** Schema of the query parameters, which are decoded like the fields of a kind. */
  readonly options: StructSchema
  /** Set if the rest of the path, after the subresource, is the option `path`. */
  readonly subpath?: true
  /**
   * Returns the destination of the request, or undefined if there is nothing to read yet. Throws a StatusError if there
   * is no destination.
   */
  locate(call: ConnectCall): Promise<Destination | undefined>
}

/** Reads objects with the permissions of the server itself. */
export interface ObjectReader {
  /** Returns an object in the hub version. Rejects with a 404 StatusError if there is none. */
  get(
    id: { readonly group: string; readonly resource: string },
    namespace: string,
    name: string,
    options?: { readonly resourceVersion?: string },
  ): Promise<KubeObject>
}

/** A request that connects to another server. */
export interface ConnectCall {
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Name in the path. Proxies accept `scheme:name:port`. */
  readonly name: string
  /** Options by field name. Options that are not set are absent. */
  readonly options: ConnectOptions
  /** Access to the objects by which the destination is found. */
  readonly api: ObjectReader
  /** Addresses of kubelets, for subresources of pods and nodes. */
  readonly kubelets: KubeletAddresses
}

/** Values of options. Times are in RFC 3339. */
export type ConnectOptions = Readonly<Record<string, string | number | boolean | string[] | number[]>>

/** Addresses of nodes: `--kubelet-preferred-address-types`, and the port of nodes that report none. */
export interface KubeletAddresses {
  /** Types in the order of preference. The first one that a node has is used. */
  readonly addressTypes: readonly string[]
  /** Port of nodes whose status has none. */
  readonly port: number
  /** Optional. Returns how the kubelet of a simulated node is reached in this process. Undefined for other nodes. */
  readonly simulated?: (node: Node) => Promise<OpenConnection | undefined>
}

/**
 * Authentication of the connection. `kubelet`: the server certificate is verified with the kubelet CA, and a client
 * certificate is presented. `unverified kubelet`: a client certificate is presented without verifying the server.
 * `anything`: neither, since pods and services have certificates of their own.
 */
export type Trust = 'kubelet' | 'unverified kubelet' | 'anything'

/** Destination of a connection. */
export interface Destination {
  /** `https` for kubelets. Clients of proxies choose the scheme in the name. */
  readonly scheme: 'http' | 'https'
  /** Host name or IP address, the latter without brackets. */
  readonly host: string
  /** Optional. Resolved addresses of the host. The connection uses them without another lookup. */
  readonly addresses?: readonly LookupAddress[]
  /** Empty for the default port of the scheme. */
  readonly port: string
  /** Not escaped. */
  readonly path: string
  /** Escaped, without `?`. */
  readonly query: string
  /** Determines the certificates of both sides if the scheme is `https`. */
  readonly trust: Trust
  /** Optional. Opens a connection in this process, without TLS. If omitted, the host is dialled. */
  readonly open?: OpenConnection
}

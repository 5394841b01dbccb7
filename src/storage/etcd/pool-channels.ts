import { isIPv6 } from 'node:net'
import type { SecureContext } from 'node:tls'
import type * as Grpc from '@grpc/grpc-js'
import type { ClientOptions } from '@grpc/grpc-js'
import type { IOptions } from 'etcd3'
import type { ConnectProxy } from '../../lib/connect-proxy.ts'
import { checkServerName } from '../../lib/server-name.ts'
import { serverNameOf, socketAddress } from '../../lib/socket-address.ts'
import { addressesOf, type EtcdOptions, type TlsCredentials } from './options.ts'

type FaultPolicy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>

/** Disables the fault handling of etcd3. */
const never = { dispose() {} }
const noPolicy = {
  execute: async (call: (context: object) => unknown) => call({}),
  onSuccess: () => never,
  onFailure: () => never,
} as unknown as FaultPolicy

/** A context that is created for each connection: Node reads the property `context` once per connection. */
const renewed = (tls: () => TlsCredentials): SecureContext => ({
  get context() {
    return tls().secureContext.context
  },
})

/**
 * Options that give channels our credentials and proxy. The pool's own credentials accept only certificate authorities
 * as trust anchors. `behind` records which member a channel through the proxy is for.
 */
function channelsOf(
  { Channel, credentials }: Pick<typeof Grpc, 'Channel' | 'credentials'>,
  tls: (() => TlsCredentials) | undefined,
  proxy: ConnectProxy | undefined,
  behind: WeakMap<object, string>,
): Pick<ClientOptions, 'channelFactoryOverride'> {
  if (!tls && !proxy) return {}
  const secure = tls && credentials.createFromSecureContext(renewed(tls), { checkServerIdentity: checkServerName })
  return {
    channelFactoryOverride: (address, own, options) => {
      const place = socketAddress(address)
      if (place && 'path' in place)
        return new Channel(address, secure ?? own, { ...options, 'grpc.ssl_target_name_override': serverNameOf(place) })
      if (!proxy) return new Channel(address, secure ?? own, options)
      const { at } = proxy
      const target = 'socketPath' in at ? `unix:${at.socketPath}` : `${isIPv6(at.host) ? `[${at.host}]` : at.host}:${at.port}`
      const channel = new Channel(target, secure ?? own, {
        ...options,
        'grpc.http_connect_target': `dns:${address}`,
        'grpc.default_authority': address,
      })
      behind.set(channel, address)
      return channel
    },
  }
}

/**
 * Keepalive detects a silently lost member within nine seconds during a call. Without calls there are no pings, because
 * etcd closes connections that ping while idle.
 */
const channelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc-node.flow_control_window': 8 << 20,
  'grpc.keepalive_time_ms': 6000,
  'grpc.keepalive_timeout_ms': 3000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
}

/**
 * Options of the pool of `etcd3`: its channels get our credentials and proxy, and its fault handling is disabled.
 * `behind` records which member a channel through the proxy is for.
 */
export function poolOptions(
  grpc: Pick<typeof Grpc, 'Channel' | 'credentials'>,
  options: EtcdOptions,
  credentials: (() => TlsCredentials) | undefined,
  behind: WeakMap<object, string>,
): IOptions {
  return {
    // Without schemes: the pool would derive credentials from them, and does not know those of sockets.
    hosts: addressesOf(options.servers),
    grpcOptions: { ...channelsOf(grpc, credentials, options.proxy, behind), ...channelOptions },
    faultHandling: { global: noPolicy, host: () => noPolicy },
  }
}

import type { Dial, Egress } from './connect-proxy.ts'
import { DialError } from './dial-error.ts'

/**
 * Egress that refuses connections to webhooks, aggregated servers and nodes that stored objects name. `why` is part of
 * each error.
 */
export function noEgress(why: string): Egress & { readonly cluster: Dial } {
  const refuse: Dial = (host, port, done) => {
    process.nextTick(done, new DialError(`dial tcp ${host}:${port}: ${why}`))
  }
  return { cluster: refuse, controlplane: refuse }
}

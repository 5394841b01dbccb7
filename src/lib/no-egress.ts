import type { Dial, Egress } from './connect-proxy.ts'
import { DialError } from './dial-error.ts'

/** No way out to what stored objects name: webhooks, aggregated servers, nodes. `why` is in each error. */
export function noEgress(why: string): Egress & { readonly cluster: Dial } {
  const refuse: Dial = (host, port, done) => {
    process.nextTick(done, new DialError(`dial tcp ${host}:${port}: ${why}`))
  }
  return { cluster: refuse, controlplane: refuse }
}

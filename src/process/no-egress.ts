import type { Dial, Egress } from '../lib/connect-proxy.ts'
import { DialError } from '../lib/dial-error.ts'

const refuse: Dial = (host, port, done) => done(new DialError(`dial tcp ${host}:${port}: this server is read-only (--read-only), and connects to no others`))

/** No way out to what stored objects name: webhooks, aggregated servers, nodes. In a backup they are those of the cluster that it is of. */
export const NO_EGRESS: Egress = { cluster: refuse, controlplane: refuse }

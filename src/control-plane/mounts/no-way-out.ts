import type { Dial, Egress } from '../../lib/connect-proxy.ts'
import { DialError } from '../../lib/dial-error.ts'

const refuse: Dial = (host, port, done) => {
  process.nextTick(done, new DialError(`dial tcp ${host}:${port}: moments and branches connect to nothing`))
}

/** For planes whose users may be nobody outside: connections would be made in the name of the server. */
export const NO_WAY_OUT = { cluster: refuse, controlplane: refuse } satisfies Egress

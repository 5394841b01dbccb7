import { readConfigFile } from '../lib/bounded-input.ts'
import type { Clock } from '../lib/clock.ts'
import type { Pem, Remote, RemoteCredentials } from './remote.ts'

/**
 * Interval between reloads, in milliseconds, as in client-go: half of the time between a kubelet's renewal of a token
 * and its expiry.
 */
const PERIOD_MS = 60_000

/** Current contents of token and certificate files. */
export interface FollowedFiles {
  /** Returns the current credentials. `client` is the same object as long as its files are unchanged. */
  current(): Promise<{ readonly token: string | undefined; readonly client: Remote['client'] }>
  /** Call it when the credentials were rejected. The files are read again for the next call. */
  expire(): void
}

/** Reloads the files on demand, at most once a minute. If a file cannot be read, its last content is used. */
export function followFiles({ token, client }: Pick<RemoteCredentials, 'token' | 'client'>, clock: Clock): FollowedFiles {
  let state = { token: token?.value, client }
  const isFollowed = token?.file !== undefined || (client?.cert.file !== undefined && client.key.file !== undefined)
  let due = clock.now() + PERIOD_MS
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    const value = token?.file === undefined ? '' : (await readOr(token.file, Buffer.alloc(0))).toString().trim()
    state = { token: value === '' ? state.token : value, client: await clientNow(state.client) }
    due = clock.now() + PERIOD_MS
    reading = undefined
  }
  return {
    async current() {
      if (isFollowed && clock.now() >= due) {
        reading ??= read()
        await reading
      }
      return state
    },
    expire: () => {
      due = 0
    },
  }
}

/** Reloads certificate and key. They are replaced together. */
async function clientNow(client: Remote['client']): Promise<Remote['client']> {
  if (client?.cert.file === undefined || client.key.file === undefined) return client
  const [cert, key] = await Promise.all([pemNow(client.cert), pemNow(client.key)])
  return cert.pem.equals(client.cert.pem) && key.pem.equals(client.key.pem) ? client : { cert, key }
}

const pemNow = async (known: Pem): Promise<Pem> => ({ ...known, pem: await readOr(known.file ?? '', known.pem) })

const readOr = (file: string, otherwise: Buffer): Promise<Buffer> => readConfigFile(file).catch(() => otherwise)

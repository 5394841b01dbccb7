import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Config } from '../config/config.ts'
import { credentialsOf } from '../process/serving-files.ts'
import { makeClientKeys } from '../server/tls/client-keys.ts'
import { issueClient, type KeyPair } from '../server/tls/issue.ts'
import type { ServerCredentials } from '../server/tls/material.ts'
import type { AgreedName, AgreedValues } from '../storage/agreed-values.ts'
import type { MemoryTables } from '../storage/embedded/memory-tables.ts'
import { seededCa, seededKey } from './seeded-keys.ts'

/**
 * Control planes with the same initial state: with equal flags, or forks of one another. They share keys and
 * certificates, which are created once.
 */
export class Lineage {
  /** Initial content of a control plane's store. Undefined until the first has started. */
  beginning: MemoryTables | undefined
  /** Secrets that servers of one store share. All control planes of the lineage have the same ones. */
  readonly agreed: AgreedValues
  #made: Promise<ServerCredentials> | undefined
  readonly #values = new Map<AgreedName, Promise<string>>()
  readonly #issued = new Map<string, Promise<KeyPair>>()
  readonly #seed: string | undefined

  /** @param seed makes the keys reproducible. */
  constructor(seed?: string) {
    this.#seed = seed
    this.agreed = {
      agree: (name, propose) => {
        const known = this.#values.get(name) ?? (seed === undefined ? propose() : Promise.resolve(seededKey(`${seed}/${name}`)))
        this.#values.set(name, known)
        return known
      },
    }
  }

  /** Returns the keys and certificates of the server and of its administrator. The first call creates them. */
  credentials(config: Config): Promise<ServerCredentials> {
    const seed = this.#seed
    this.#made ??= credentialsOf(config, {
      adminKeys: makeClientKeys(),
      ...(seed !== undefined && { shareCa: () => seededCa('binnacle-ca', `${seed}/ca`) }),
    })
    return this.#made
  }

  /**
   * Returns a client certificate, which is issued once for a user with these groups. Its key is EC, which is generated
   * fast. Programs that only support RSA (Java's fabric8 client) must use the administrator's.
   */
  async issue(user: string, groups: readonly string[]): Promise<KeyPair> {
    const credentials = await this.#made
    if (credentials === undefined) throw new Error('no control plane has started')
    const name = JSON.stringify([user, groups])
    const issued = this.#issued.get(name) ?? issueClient(credentials.ownCa, user, groups, generate('ec', { namedCurve: 'P-256' }))
    this.#issued.set(name, issued)
    const [oldest] = this.#issued.keys()
    if (this.#issued.size > MOST_ISSUED && oldest !== undefined) this.#issued.delete(oldest)
    return issued
  }
}

/** Number of client certificates that are kept. */
const MOST_ISSUED = 100

const generate = promisify(generateKeyPair)

/** Number of lineages that are kept. */
const MOST_LINEAGES = 16
const known = new Map<string, Lineage>()

/** Properties besides the flags in which lineages differ. */
export interface LineageOptions {
  /** Optional. Makes keys reproducible. By default they are random. */
  readonly seed?: string | undefined
  /** Optional. Creation time of the initial objects. Default: the machine's time. */
  readonly clock?: Date | undefined
}

/**
 * Returns the lineage of control planes with these flags. The least recently used ones are dropped, and created again
 * on next use.
 */
export function lineageOf(flags: object, { seed, ...rest }: LineageOptions = {}): Lineage {
  const name = JSON.stringify([Object.entries(flags).toSorted(), seed, rest])
  const lineage = known.get(name) ?? new Lineage(seed)
  known.delete(name)
  known.set(name, lineage)
  const [oldest] = known.keys()
  if (known.size > MOST_LINEAGES && oldest !== undefined) known.delete(oldest)
  return lineage
}

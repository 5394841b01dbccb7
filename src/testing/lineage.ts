import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Config } from '../config/config.ts'
import { credentialsOf } from '../process/serving-files.ts'
import { makeClientKeys } from '../server/tls/client-keys.ts'
import { issueClient, type KeyPair } from '../server/tls/issue.ts'
import type { Credentials } from '../server/tls/material.ts'
import type { AgreedName, AgreedValues } from '../storage/agreed-values.ts'
import type { MemoryTables } from '../storage/embedded/memory-tables.ts'
import { seededCa, seededKey } from './seeded-keys.ts'

/** Control planes that begin alike: with the same flags, or as forks of one another. They share keys and certificates, which are made once, and begin with the same objects. */
export class Lineage {
  /** What a control plane holds that has just started; absent until the first has. */
  beginning: MemoryTables | undefined
  readonly agreed: AgreedValues
  private made: Promise<Credentials> | undefined
  private readonly values = new Map<AgreedName, Promise<string>>()
  private readonly seed: string | undefined

  /** `seed`: of keys that are the same each time. */
  constructor(seed?: string) {
    this.seed = seed
    this.agreed = {
      agree: (name, propose) => {
        const known = this.values.get(name) ?? (seed === undefined ? propose() : Promise.resolve(seededKey(`${seed}/${name}`)))
        this.values.set(name, known)
        return known
      },
    }
  }

  credentials(config: Config): Promise<Credentials> {
    const { seed } = this
    this.made ??= credentialsOf(config, { adminKeys: makeClientKeys(), ...(seed !== undefined && { shareCa: () => seededCa('binnacle-ca', `${seed}/ca`) }) })
    return this.made
  }

  /** A certificate for somebody else. Of keys that are made at once: programs that read RSA alone (Java's fabric8 client) take the administrator's. */
  async issue(user: string, groups: readonly string[]): Promise<KeyPair> {
    const credentials = await this.made
    if (credentials === undefined) throw new Error('no control plane has started')
    return issueClient(credentials.ownCa, user, groups, generate('ec', { namedCurve: 'P-256' }))
  }
}

const generate = promisify(generateKeyPair)

const MOST_LINEAGES = 16
const known = new Map<string, Lineage>()

export interface LineageOptions {
  readonly seed?: string | undefined
  /** What objects are stamped with that are there from the beginning. Default: the machine's time. */
  readonly clock?: Date | undefined
}

/** That of control planes with these flags. Those that were not asked for lately are forgotten: the next one makes its own. */
export function lineageOf(flags: object, { seed, ...rest }: LineageOptions = {}): Lineage {
  const name = JSON.stringify([Object.entries(flags).toSorted(), seed, rest])
  const lineage = known.get(name) ?? new Lineage(seed)
  known.delete(name)
  known.set(name, lineage)
  const [oldest] = known.keys()
  if (known.size > MOST_LINEAGES && oldest !== undefined) known.delete(oldest)
  return lineage
}

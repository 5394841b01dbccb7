import type { Secret, ServiceAccount } from '../../../src/api/core/v1.types.ts'
import type { TypedObject } from '../../../src/api/meta/object.ts'
import { dateText, isGenerated, isUnused, tokenFate } from '../../../src/cluster/controllers/legacytokencleaner/token-fate.ts'
import { mayBeFilled } from '../../../src/controllers/namespace-content.ts'
import { isTokenOf, missingData } from '../../../src/controllers/service-account-token.ts'

interface AccountsIn {
  readonly namespace: 'Active' | 'Terminating'
  readonly existing?: readonly string[]
  /** Account that was deleted. */
  readonly deleted?: string
}

function createdAccounts({ namespace, existing = [], deleted }: AccountsIn): string[] {
  const present = existing.filter(name => name !== deleted)
  const metadata = { name: 'n', ...(namespace === 'Terminating' && { deletionTimestamp: '2030-01-01T00:00:00Z' }) }
  return mayBeFilled({ kind: 'Namespace', apiVersion: 'v1', metadata }) && !present.includes('default') ? ['default'] : []
}

interface TokenIn {
  /** Name, `deleted` for an account that is gone, `other uid`, or null. */
  readonly account: string | null
  readonly token?: boolean
  readonly ca?: 'current' | 'other' | null
  readonly namespace?: boolean
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function tokenSecret({ account, token = false, ca = null, namespace = true }: TokenIn): string {
  const secret: Secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 's', namespace: 'default', annotations: { 'kubernetes.io/service-account.uid': 'uid' } },
    type: 'kubernetes.io/service-account-token',
    data: {
      ...(token && { token: base64('t') }),
      ...(ca !== null && { 'ca.crt': base64(ca) }),
      ...(namespace && { namespace: base64('default') }),
    },
  }
  const found: TypedObject = {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'default', uid: account === 'default' ? 'uid' : 'other' },
  }
  if (account === null) return 'delete'
  if (!isTokenOf(secret, found)) return 'delete (uid precondition)'
  const missing = Object.keys(missingData(secret, 'current'))
  return missing.length === 0 ? 'nothing' : `set ${missing.join(', ')}`
}

interface LegacyIn {
  /** Whether the account lists the token. */
  readonly referenced?: boolean
  readonly unusedDays?: number
  readonly invalidSinceDays?: number
  readonly mounted?: boolean
}

const NOW = Date.parse('2030-01-01T12:00:00Z')
const FATES = { keep: 'nothing', mark: 'label', delete: 'delete' }

function legacyToken({ referenced = false, unusedDays = 0, invalidSinceDays, mounted = false }: LegacyIn): string {
  const daysAgo = (days: number): string => dateText(NOW - days * 24 * 3_600_000)
  const labels = {
    'kubernetes.io/legacy-token-last-used': daysAgo(unusedDays),
    ...(invalidSinceDays !== undefined && { 'kubernetes.io/legacy-token-invalid-since': daysAgo(invalidSinceDays) }),
  }
  const metadata = { name: 't', namespace: 'default', creationTimestamp: '2020-01-01T00:00:00Z', labels }
  const secret: Secret = { kind: 'Secret', apiVersion: 'v1', metadata, type: 'kubernetes.io/service-account-token' }
  const account: ServiceAccount = {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'default' },
    ...(referenced && { secrets: [{ name: 't' }] }),
  }
  return isUnused(secret, NOW) && isGenerated(secret, account) ? FATES[tokenFate(secret, mounted, NOW)] : 'nothing'
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'default-account': createdAccounts,
  'token-secrets': tokenSecret,
  'legacy-cleaner': legacyToken,
}

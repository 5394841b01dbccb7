import type { Pod, Secret, ServiceAccount } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'

const DAY_MS = 24 * 3_600_000
/**
 * Time without use after which a token becomes invalid, and time after that until it is deleted, as
 * --legacy-service-account-token-clean-up-period by default.
 */
export const CLEAN_UP_MS = 365 * DAY_MS

/** Type of Secrets with tokens. */
export const TOKEN_TYPE = 'kubernetes.io/service-account-token'
/** Annotations of such a Secret with the name and UID of its account. */
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'
/** Label with the date of the last use, which kube-apiserver sets. */
const LAST_USED = 'kubernetes.io/legacy-token-last-used'
/** Label with the date from which on a token is invalid. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** Dates of labels, in UTC: `2030-01-31`. */
const DATE = /^\d{4}-\d{2}-\d{2}$/
const isDate = (text: string): boolean => DATE.test(text) && !Number.isNaN(Date.parse(text))

/** Returns the date of a time, as labels have it: `2030-01-31`. @param time milliseconds since the epoch. */
export const dateText = (time: number): string => new Date(time).toISOString().slice(0, 10)

/**
 * Whether the use of tokens has been recorded for long enough that a token without a record is unused. @param since
 * date on which the records begin.
 */
export const isTrackedLongEnough = (since: string, now: number): boolean => isDate(since) && now >= Date.parse(since) + DAY_MS + CLEAN_UP_MS

/** Whether a token is one that was generated for an account, which lists it. Tokens that users make are kept. */
export function isGenerated({ metadata }: Secret, account: ServiceAccount | undefined): boolean {
  const uid = metadata.annotations?.[ACCOUNT_UID]
  const isOfAccount = account !== undefined && (!uid || uid === account.metadata.uid)
  return isOfAccount && (account.secrets ?? []).some(({ name }) => name === metadata.name)
}

/** Returns the name of the account of a token. */
export const accountName = ({ metadata }: Secret): string => metadata.annotations?.[ACCOUNT_NAME] ?? ''

/** Whether a token is old, and was not used for the time after which it becomes invalid. */
export function isUnused({ metadata }: Secret, now: number): boolean {
  const limit = now - CLEAN_UP_MS
  const lastUsed = metadata.labels?.[LAST_USED]
  if (metadata.deletionTimestamp !== undefined || (timeMillis(metadata.creationTimestamp) ?? 0) >= limit) return false
  return lastUsed === undefined || (isDate(lastUsed) && lastUsed < dateText(limit))
}

/**
 * Returns the action for a generated, unused token: mark it as invalid, and delete it later. A token that pods refer to
 * is kept.
 */
export function tokenFate({ metadata }: Secret, isMounted: boolean, now: number): 'keep' | 'mark' | 'delete' {
  if (isMounted) return 'keep'
  const since = metadata.labels?.[INVALID_SINCE] ?? ''
  if (!isDate(since)) return 'mark'
  return since < dateText(now - CLEAN_UP_MS) ? 'delete' : 'keep'
}

/** Sources of volumes that refer to a Secret. */
const WITH_SECRET_REF = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'] as const

/** Returns the names of the Secrets to which pods refer in volumes, variables and pull secrets. */
export function referredSecrets(pods: readonly Pod[]): ReadonlySet<string> {
  const names = pods.flatMap(({ spec }) => [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...(spec.volumes ?? []).flatMap(({ secret, projected, csi, azureFile, ...others }) => [
      secret?.secretName,
      csi?.nodePublishSecretRef?.name,
      azureFile?.secretName,
      ...WITH_SECRET_REF.map(source => others[source]?.secretRef?.name),
      ...(projected?.sources ?? []).map(source => source.secret?.name),
    ]),
    ...[...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].flatMap(
      ({ env = [], envFrom = [] }) => [
        ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
        ...envFrom.map(({ secretRef }) => secretRef?.name),
      ],
    ),
  ])
  return new Set(names.filter((name): name is string => name !== undefined))
}

import type { Secret } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../shared/kinds.ts'
import {
  accountName,
  dateText,
  INVALID_SINCE,
  isGenerated,
  isTrackedLongEnough,
  isUnused,
  referredSecrets,
  TOKEN_TYPE,
  tokenFate,
} from './token-fate.ts'

const NAMESPACE = 'kube-system'
/** ConfigMap in which an API server notes since when it records the use of tokens. */
const TRACKING = 'kube-apiserver-legacy-service-account-token-tracking'
const DAILY_MS = 24 * 3_600_000
const KEY = 'tokens'

/**
 * Marks generated tokens of service accounts as invalid that were not used for a year, and deletes them a year later.
 * Looks at them once a day.
 */
export const legacyTokenCleaner: ClusterPart = async (env, signal) => {
  const { features } = env
  // The gate is gone since 1.32.
  if (!isSince(features.release, '1.32') && !features.enabled('LegacyServiceAccountTokenCleanUp')) return
  const pods = env.informers.of(PODS)
  const queue = queueOf(env, 'legacy_token_cleaner', signal, {
    workers: 1,
    async work() {
      queue.addAfter(KEY, DAILY_MS)
      const now = env.clock.now()
      if (!isTrackedLongEnough(await trackedSince(env), now)) return
      const { items } = await env.client.list(SECRETS, { fieldSelector: `type=${TOKEN_TYPE}` })
      const referred = new Map<string, ReadonlySet<string>>()
      for (const secret of items.filter(each => isUnused(each, now))) {
        const { namespace = '', name = '' } = secret.metadata
        if (!isGenerated(secret, await env.client.get(SERVICE_ACCOUNTS, namespace, accountName(secret)).catch(undefinedIfNotFound)))
          continue
        const names = referred.get(namespace) ?? referredSecrets(pods.store.inNamespace(namespace))
        referred.set(namespace, names)
        await carryOut(env, secret, tokenFate(secret, names.has(name), now), now)
      }
    },
  })
  if (!(await untilSynced([pods], signal))) return
  queue.add(KEY)
  await untilAborted(signal)
}

/** Returns the date since which the use of tokens is recorded. Empty if it is not. */
async function trackedSince({ client }: ClusterEnvironment): Promise<string> {
  return (await client.get(CONFIG_MAPS, NAMESPACE, TRACKING).catch(undefinedIfNotFound))?.data?.since ?? ''
}

async function carryOut(
  { client, logger }: ClusterEnvironment,
  secret: Secret,
  fate: ReturnType<typeof tokenFate>,
  now: number,
): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = secret.metadata
  if (fate === 'keep') return
  logger.info('unused token of a service account', { secret: objectKey(secret), action: fate })
  try {
    if (fate === 'delete') await client.delete(SECRETS, namespace, name, { resourceVersion })
    else await client.patch(SECRETS, { namespace, name }, { metadata: { uid, labels: { [INVALID_SINCE]: dateText(now) } } })
  } catch (error) {
    if (!isStatusError(error, 'NotFound', 'Conflict')) throw error
  }
}

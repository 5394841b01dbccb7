import { type JsonObject, objectIn } from '../api/meta/object.ts'
import { objectFinding } from './findings/finding.ts'
import { denialOf } from './findings/refusal.ts'
import type { ForkClient, ForkResponse } from './fork/fork-client.ts'
import type { PlacedObject } from './placed-object.ts'
import { objectAt, type PodTemplate, podTemplateOf } from './references/reference.ts'
import type { CheckFinding } from './types.ts'

/** Number of pods of a workload that are counted against quotas. */
const MOST_PODS = 1000

export interface PodCheckOptions {
  readonly admin: ForkClient
  readonly strict: boolean
}

/**
 * Sends the pods of a workload through admission, as its controller would: policies, Pod Security, limits and quotas
 * apply to pods, and the server accepts workloads whose pods they deny. In a namespace with a quota, all replicas are
 * created, so that the quota counts the whole input.
 */
export async function podFindings(placed: PlacedObject, { admin, strict }: PodCheckOptions): Promise<CheckFinding[]> {
  const { object, response, before, namespace } = placed
  if (
    response.error ||
    object.kind === 'Pod' ||
    object.kind === 'PodTemplate' ||
    podTemplateOf({ apiVersion: object.apiVersion, kind: object.kind }) === undefined
  )
    return []
  const after = response.object
  const value = after && { ...after, apiVersion: object.apiVersion, kind: object.kind }
  const found = value && podTemplateOf(value)
  if (value === undefined || found === undefined) return []
  const hasQuota = objectIn((await admin.send({ method: 'GET', path: `/api/v1/namespaces/${namespace}/resourcequotas` })).object).items
  const counted = Array.isArray(hasQuota) && hasQuota.length > 0
  const name = String(objectIn(after?.metadata).name)
  const body = Buffer.from(JSON.stringify(podOf(name, value, found), jsonSafe))
  const create = (search: string): Promise<ForkResponse> =>
    admin.send({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, search, contentType: 'application/json', body })
  const severity = strict ? 'error' : 'warning'
  const first = await create('dryRun=All')
  if (first.error) {
    const denial = denialOf(first.steps)
    const rule = denial?.rule === 'quota-exceeded' ? denial.rule : 'pods-denied'
    return [
      objectFinding(object, rule, severity, `pods of this ${object.kind} would be denied: ${stableMessage(first, name)}`, {
        field: found.path,
        by: denial?.by,
      }),
    ]
  }
  const count = counted ? Math.min(replicasOf(value) - (before ? replicasOf({ ...before, kind: object.kind }) : 0), MOST_PODS) : 0
  for (let made = 0; made < count; made++) {
    const refused = await create('')
    if (refused.error === undefined) continue
    const denial = denialOf(refused.steps)
    return [
      objectFinding(
        object,
        denial?.rule === 'quota-exceeded' ? denial.rule : 'pods-denied',
        severity,
        `only ${made} of ${count} new pods would be created: ${stableMessage(refused, name)}`,
        {
          field: 'spec.replicas',
          by: denial?.by,
          advice: 'request less, or raise the quota',
        },
      ),
    ]
  }
  return []
}

/** Message of an error, without the random part of the pod's name. */
function stableMessage({ error }: ForkResponse, name: string): string {
  const { message = '' } = error ?? {}
  const start = message.indexOf(`"${name}-`)
  const end = start + name.length + 2
  return start < 0 ? message : message.slice(0, end) + message.slice(end).replace(/^[a-z0-9]{5}"/, '…"')
}

/** Pod that a controller creates from the template of a workload. */
function podOf(name: string, workload: JsonObject, { template }: PodTemplate): JsonObject {
  const { labels = {}, annotations = {} } = objectAt(template, 'metadata')
  const spec = objectAt(template, 'spec')
  const claims = claimVolumes(name, workload)
  const others = (Array.isArray(spec.volumes) ? spec.volumes : []).filter(
    volume => !claims.some(claim => claim.name === objectIn(volume).name),
  )
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: `${name}-`, labels, annotations },
    spec: claims.length === 0 ? spec : { ...spec, volumes: [...claims, ...others] },
  }
}

/** Volumes that the claim templates of a StatefulSet add to its first pod. They replace volumes of the same names. */
function claimVolumes(name: string, { kind, spec }: JsonObject): JsonObject[] {
  const { volumeClaimTemplates: templates } = objectIn(spec)
  if (kind !== 'StatefulSet' || !Array.isArray(templates)) return []
  return templates.map(template => {
    const volume = String(objectAt(objectIn(template), 'metadata').name)
    return { name: volume, persistentVolumeClaim: { claimName: `${volume}-${name}-0` } }
  })
}

/**
 * Number of pods that a workload runs. Those of a DaemonSet depend on the nodes, and those of a CronJob on the time:
 * they count as one and none.
 */
function replicasOf({ kind, spec }: JsonObject): number {
  const { replicas, parallelism } = objectIn(spec)
  if (kind === 'CronJob') return 0
  if (kind === 'DaemonSet') return 1
  const count = kind === 'Job' ? (parallelism ?? 1) : (replicas ?? 1)
  return typeof count === 'number' ? count : 0
}

const jsonSafe = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

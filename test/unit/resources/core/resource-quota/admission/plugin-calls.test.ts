import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ResourceQuota } from '../../../../../../src/api/core/v1.types.ts'
import type { JsonObject, KubeObject } from '../../../../../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../../../../../src/catalog/definition.ts'
import type { ResourceAccess } from '../../../../../../src/catalog/resource-access.ts'
import { isStatusError } from '../../../../../../src/meta/status.ts'
import type { Operation } from '../../../../../../src/registry/types.ts'
import type { LimitedResource } from '../../../../../../src/resources/core/resource-quota/admission/check-request.ts'
import { QuotaIndex } from '../../../../../../src/resources/core/resource-quota/admission/quota-index.ts'
import { QuotaReservations } from '../../../../../../src/resources/core/resource-quota/admission/reservations.ts'
import { resourceQuotaAdmission } from '../../../../../../src/resources/core/resource-quota/admission-plugin.ts'
import { Evaluators } from '../../../../../../src/resources/core/resource-quota/usage/evaluators.ts'
import { decode } from '../../../../../../src/schema/decode.ts'
import { admissionRequest } from '../../../../../support/admission-request.ts'
import { featuresIn } from '../../../../../support/hook-context.ts'
import { servedBuiltins } from '../../../../../support/served-builtins.ts'

/** One call of the plugin by upstream's own tests: the quotas before it, and those that it has written. */
interface Case {
  readonly test: string
  readonly operation: Operation
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly dryRun?: boolean
  readonly gates?: Record<string, boolean>
  readonly limited: readonly LimitedResource[]
  readonly quotas: readonly JsonObject[]
  readonly updated: readonly JsonObject[]
  readonly object?: JsonObject
  readonly old?: JsonObject
  readonly error?: string
  readonly code?: number
}

const FILE = join(import.meta.dirname, '../../../../../fixtures/quota/plugin-calls-1.33.jsonl')
const cases: readonly Case[] = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line))
const definitions = servedBuiltins()

function definitionOf(plural: string): ResourceDefinition {
  const found = definitions.find(({ hub }) => hub.group === '' && hub.names.plural === plural)
  if (!found) throw new Error(`no ${plural}`)
  return found
}

function objectOf(plural: string, given: JsonObject): KubeObject {
  const { hub } = definitionOf(plural)
  return { metadata: {}, ...decode(hub.schema, given, { keepEmpty: true }), apiVersion: 'v1', kind: hub.kind } as unknown as KubeObject
}

/** Used quantities by name of the quota. */
type Used = Record<string, unknown>

async function outcome(given: Case): Promise<{ readonly error?: string; readonly code?: number; readonly used: Used }> {
  const { operation, resource, subresource = '', namespace = '', name = '', dryRun = false, gates = {}, limited: limitedResources } = given
  const features = featuresIn('1.33', gates)
  const stored = new Map(given.quotas.map(quota => objectOf('resourcequotas', quota)).map(quota => [quota.metadata.name ?? '', quota]))
  const index = new QuotaIndex()
  for (const quota of stored.values()) index.put(quota as unknown as ResourceQuota)
  const used: Used = {}
  const access = {
    list: async () => ({ items: [...stored.values()], resourceVersion: '' }),
    update: async (_: unknown, __: string, which: string, change: (object: KubeObject) => KubeObject) => {
      const next = change(structuredClone(stored.get(which)) as KubeObject)
      used[which] = (next as unknown as ResourceQuota).status.used
      return { ...next, metadata: { ...next.metadata, resourceVersion: '1000' } }
    },
  } as unknown as ResourceAccess
  const plugin = resourceQuotaAdmission({
    evaluators: new Evaluators(features),
    clock: { now: () => 0 },
    index,
    reservations: new QuotaReservations(),
    access: () => access,
    limitedResources,
  })
  const parts = {
    operation,
    subresource,
    namespace,
    name,
    dryRun,
    ctx: { signal: new AbortController().signal },
    ...(given.old && { old: objectOf(resource, given.old) }),
  }
  const request = admissionRequest(definitionOf(resource), objectOf(resource, given.object ?? {}), parts)
  try {
    if (plugin.handles(request)) await plugin.validate?.(request)
    return { used }
  } catch (error) {
    if (isStatusError(error)) return { error: error.status.message ?? '', code: error.status.code ?? 0, used }
    throw error
  }
}

describe('calls of ResourceQuota by its own tests', () => {
  for (const [i, given] of cases.entries())
    it(`${i} ${given.test} ${given.operation} ${given.resource} ${given.error ?? ''}`, async () => {
      const { error, code, used } = await outcome(given)
      expect(error).to.equal(given.error)
      if (given.code !== undefined) expect(code).to.equal(given.code)
      const wanted = given.updated.map(quota => objectOf('resourcequotas', quota) as unknown as ResourceQuota)
      expect(used).to.deep.equal(Object.fromEntries(wanted.map(({ metadata, status }) => [metadata.name, status.used])))
    })
})

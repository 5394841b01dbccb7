import type { Subresource } from '../../../catalog/definition.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { badRequestError, failure } from '../../../meta/status.ts'
import { types } from '../../types.ts'
import { created } from './binding.ts'

const PODS = { group: '', resource: 'pods' }

const goList = (values: readonly string[]): string => `[${values.join(' ')}]`

/** API-initiated eviction: https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/. Without disruption budgets, which are not served, it is a deletion. */
export const evictionSubresource: Subresource = {
  verbs: ['create'],
  kind: { group: 'policy', version: 'v1', kind: 'Eviction', schema: types.type('policy.Eviction') },
  virtual: {
    async call({ api, body, dryRun, name, namespace }) {
      const eviction = body as KubeObject
      if ((eviction.metadata.name ?? '') !== name) throw badRequestError('name in URL does not match name in Eviction object')
      const options = eviction.deleteOptions ?? {}
      const inBody: string[] = options.dryRun ?? []
      if (dryRun && inBody.length > 0 && goList(inBody) !== '[All]') {
        throw failure(500, '', `Non-matching dry-run options in request and content: [All] and ${goList(inBody)}`)
      }
      if (dryRun || inBody.length > 0) await api.get(PODS, namespace, name)
      else {
        const { uid, resourceVersion } = options.preconditions ?? {}
        const { gracePeriodSeconds, propagationPolicy } = options
        await api.delete(PODS, namespace, name, {
          ...(uid !== undefined && { uid }),
          ...(resourceVersion !== undefined && { resourceVersion }),
          ...(propagationPolicy !== undefined && { propagationPolicy }),
          ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        })
      }
      return { code: 201, object: created }
    },
  },
}

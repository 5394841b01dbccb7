import type { JsonObject } from '../../api/meta/object.ts'

export const METRICS_GROUP = 'metrics.k8s.io'

/** Resources of the API, with the names that clients use. */
const RESOURCES = [
  { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
  { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
]

/** Returns the APIGroup. @param versions in the order of preference. */
export const metricsGroup = (versions: readonly string[]): JsonObject => {
  const listed = versions.map(version => ({ groupVersion: `${METRICS_GROUP}/${version}`, version }))
  return { kind: 'APIGroup', apiVersion: 'v1', name: METRICS_GROUP, versions: listed, preferredVersion: listed[0] ?? {} }
}

export const metricsGroupList = (versions: readonly string[]): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [metricsGroup(versions)],
})

export const metricsResources = (version: string): JsonObject => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${METRICS_GROUP}/${version}`,
  resources: RESOURCES,
})

import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/api/meta/object.ts'

/** Objects of several shapes, as clients create them. */
export interface Sample {
  readonly path: string
  readonly type: string
  readonly object: JsonObject & { kind: string; apiVersion: string }
}

const sample = (group: string, resource: string, type: string, object: object, namespace = 'default'): Sample => {
  const apiVersion = group === '' ? 'v1' : `${group}/v1`
  const root = group === '' ? '/api/v1' : `/apis/${group}/v1`
  return {
    path: `${root}/${namespace === '' ? '' : `namespaces/${namespace}/`}${resource}`,
    type,
    object: { apiVersion, ...object } as Sample['object'],
  }
}

const container = {
  name: 'web',
  image: 'registry.example.com/web:1.2.3',
  args: ['--port=8080', '--größe=5'],
  env: [
    { name: 'A', value: 'ü' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  resources: { limits: { cpu: '1500m', memory: '1Gi' }, requests: { cpu: '100m' } },
  readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 5 },
}
const podSpec = {
  containers: [container],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'x', operator: 'Exists' }],
  terminationGracePeriodSeconds: 600,
}
const definition = {
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.io' },
  spec: {
    group: 'example.io',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, default: 3 },
                  tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
                },
                anyOf: [{ required: ['tags'] }],
              },
            },
          },
        },
      },
    ],
  },
}
const full = (file: string): object =>
  JSON.parse(readFileSync(new URL(`../fixtures/codec/roundtrip/${file}`, import.meta.url), 'utf8')) as object

export const bodySamples: readonly Sample[] = [
  sample('', 'pods', 'core.Pod', {
    kind: 'Pod',
    metadata: { name: 'p', labels: { app: 'web' }, creationTimestamp: '2026-01-02T03:04:05Z' },
    spec: podSpec,
  }),
  sample('', 'configmaps', 'core.ConfigMap', {
    kind: 'ConfigMap',
    metadata: { name: 'c' },
    data: { a: 'b', 'key.with-more': '<long>\n'.repeat(20) },
    binaryData: { bin: 'AAECAwQ=' },
  }),
  sample('', 'services', 'core.Service', {
    kind: 'Service',
    metadata: { name: 's' },
    spec: {
      selector: { app: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'x', port: 81, targetPort: 8080 },
      ],
    },
  }),
  sample('apps', 'deployments', 'apps.Deployment', {
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: podSpec } },
  }),
  sample('coordination.k8s.io', 'leases', 'coordination.Lease', {
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 2_147_483_647, acquireTime: '2026-01-02T03:04:05.123456Z' },
  }),
  sample('apiextensions.k8s.io', 'customresourcedefinitions', 'apiextensions.CustomResourceDefinition', definition, ''),
  sample('', 'events', 'core.Event', full('core.v1.Event.json')),
  sample('networking.k8s.io', 'networkpolicies', 'networking.NetworkPolicy', full('networking.k8s.io.v1.NetworkPolicy.json')),
]

import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { referencesOf } from '../../../src/check/references/kind-references.ts'
import { podLabelsOf, podSelectorOf, selectsPods } from '../../../src/check/references/selectors.ts'

const references = (object: JsonObject): string[] =>
  referencesOf(object, 'shop').map(({ kind, namespace, name, field, key, port }) =>
    [field, kind, namespace, name, key ?? port ?? ''].join(' ').trim(),
  )

const deployment = (spec: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: { template: { metadata: { labels: { app: 'web' } }, spec } },
})

describe('references', () => {
  it('finds configuration, claims, accounts and classes of pods', () => {
    const object = deployment({
      serviceAccountName: 'runner',
      priorityClassName: 'high',
      runtimeClassName: 'gvisor',
      imagePullSecrets: [{ name: 'registry' }],
      volumes: [
        { name: 'a', configMap: { name: 'config', items: [{ key: 'x', path: 'y' }] } },
        { name: 'b', secret: { secretName: 'token' } },
        { name: 'c', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'd', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'perhaps', optional: true } }] } },
      ],
      containers: [
        {
          name: 'a',
          envFrom: [{ secretRef: { name: 'env' } }],
          env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'config', key: 'z' } } }],
        },
      ],
    })
    const at = 'spec.template.spec'
    expect(references(object)).to.deep.equal([
      `${at}.volumes[0].configMap.name ConfigMap shop config`,
      `${at}.volumes[0].configMap.items[0].key ConfigMap shop config x`,
      `${at}.volumes[1].secret.secretName Secret shop token`,
      `${at}.volumes[2].persistentVolumeClaim.claimName PersistentVolumeClaim shop data`,
      `${at}.volumes[3].projected.sources[0].secret.name Secret shop projected`,
      `${at}.containers[0].envFrom[0].secretRef.name Secret shop env`,
      `${at}.containers[0].env[0].valueFrom.configMapKeyRef.name ConfigMap shop config`,
      `${at}.containers[0].env[0].valueFrom.configMapKeyRef.key ConfigMap shop config z`,
      `${at}.serviceAccountName ServiceAccount shop runner`,
      `${at}.imagePullSecrets[0].name Secret shop registry`,
      `${at}.priorityClassName PriorityClass  high`,
      `${at}.runtimeClassName RuntimeClass  gvisor`,
    ])
  })

  const cases: readonly (readonly [JsonObject, readonly string[]])[] = [
    [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        spec: {
          ingressClassName: 'nginx',
          tls: [{ secretName: 'cert' }],
          rules: [{ http: { paths: [{ backend: { service: { name: 'web', port: { number: 80 } } } }] } }],
        },
      },
      [
        'spec.ingressClassName IngressClass  nginx',
        'spec.rules[0].http.paths[0].backend.service.name Service shop web 80',
        'spec.tls[0].secretName Secret shop cert',
      ],
    ],
    [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        roleRef: { kind: 'ClusterRole', name: 'view' },
        subjects: [
          { kind: 'ServiceAccount', name: 'a', namespace: 'other' },
          { kind: 'User', name: 'jane' },
        ],
      },
      ['roleRef.name ClusterRole  view', 'subjects[0].name ServiceAccount other a'],
    ],
    [
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      },
      ['spec.scaleTargetRef.name Deployment shop web'],
    ],
    [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        spec: { serviceName: 'db', volumeClaimTemplates: [{ spec: { storageClassName: 'fast' } }], template: {} },
      },
      ['spec.serviceName Service shop db', 'spec.volumeClaimTemplates[0].spec.storageClassName StorageClass  fast'],
    ],
    [{ apiVersion: 'example.dev/v1', kind: 'Deployment', spec: { template: { spec: { serviceAccountName: 'a' } } } }, []],
  ]
  for (const [object, expected] of cases)
    it(`finds those of ${String(object.apiVersion)} ${String(object.kind)}`, () => expect(references(object)).to.deep.equal(expected))

  it('compares selectors with the labels of templates', () => {
    const service = podSelectorOf({ apiVersion: 'v1', kind: 'Service', spec: { selector: { app: 'web' } } })
    const budget = podSelectorOf({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } },
    })
    const labels = podLabelsOf(deployment({}))
    expect(labels).to.deep.equal({ app: 'web' })
    expect(service && selectsPods(service, labels ?? {})).to.equal(true)
    expect(budget && selectsPods(budget, labels ?? {})).to.equal(false)
    expect(podSelectorOf({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', spec: { podSelector: {} } })).to.equal(undefined)
  })
})

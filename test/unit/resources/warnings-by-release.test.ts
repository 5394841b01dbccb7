import { expect } from 'chai'
import { RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { judge } from '../../../src/upgrade/judge.ts'
import { ReleaseKinds } from '../../../src/upgrade/versions/release-kinds.ts'

/** Releases, including both ends: `24-26`, `27-`. */
type Span = `${number}-${number | ''}`

interface Case {
  readonly apiVersion?: string
  readonly kind: string
  readonly body: object
  readonly name?: string
  readonly annotations?: Record<string, string>
  /** Warnings, with the releases that have them. Source: the warning function of the kind in a tag of each release. */
  readonly texts: Readonly<Record<string, Span>>
}

const template = (spec: object, annotations: object = {}): object => ({
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' }, annotations }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
})
const pod = (spec: object, container: object = {}): object => ({ spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec } })
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod'
const IN_TEMPLATE = `spec.template.metadata.annotations[${SECCOMP}]:`
const OLD_DRIVER = 'deprecated in v1.22, support removal is planned in v1.26'
const GONE_DRIVER = 'deprecated in v1.22, non-functional in v1.25+'

const cases: Readonly<Record<string, Case>> = {
  'variables of one name': {
    kind: 'Pod',
    body: pod(
      {},
      {
        env: [
          { name: 'A', value: 'a' },
          { name: 'A', value: 'b' },
        ],
      },
    ),
    texts: {
      'spec.containers[0].env[1].name: duplicate name "A"': '24-27',
      'spec.containers[0].env[1]: hides previous definition of "A"': '28-29',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply': '30-',
    },
  },
  'a variable that builds on another': {
    kind: 'Pod',
    body: pod(
      {},
      {
        env: [
          { name: 'A', value: 'a' },
          { name: 'A', value: '$(A)b' },
        ],
      },
    ),
    texts: { 'spec.containers[0].env[1].name: duplicate name "A"': '24-27' },
  },
  'volumes without a driver': {
    kind: 'Pod',
    body: pod({
      volumes: [
        { name: 'f', flocker: { datasetName: 'd' } },
        { name: 'g', glusterfs: { endpoints: 'e', path: 'p' } },
        { name: 'r', rbd: { monitors: ['m'], image: 'i' } },
      ],
    }),
    texts: {
      [`spec.volumes[0].flocker: ${OLD_DRIVER}`]: '24-26',
      [`spec.volumes[0].flocker: ${GONE_DRIVER}`]: '27-',
      'spec.volumes[1].glusterfs: deprecated in v1.25, this feature will be removed soon after in a subsequent release': '25-26',
      'spec.volumes[1].glusterfs: deprecated in v1.25, non-functional in v1.26+': '27-',
      'spec.volumes[2].rbd: deprecated in v1.28, non-functional in v1.31+': '28-',
    },
  },
  'a claim within a pod': {
    kind: 'Pod',
    body: pod({
      volumes: [
        {
          name: 'v',
          ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } } } },
        },
      ],
    }),
    texts: {
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer':
        '26-',
    },
  },
  'an annotation of seccomp in a template': {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    body: { spec: template({}, { [SECCOMP]: 'runtime/default' }) },
    texts: {
      [`${IN_TEMPLATE} deprecated since v1.19, non-functional in v1.25+; use the "seccompProfile" field instead`]: '24-24',
      [`${IN_TEMPLATE} deprecated since v1.19, non-functional in a future release; use the "seccompProfile" field instead`]: '25-26',
      [`${IN_TEMPLATE} non-functional in v1.27+; use the "seccompProfile" field instead`]: '27-',
    },
  },
  'a negative grace period': {
    kind: 'Pod',
    body: pod({ terminationGracePeriodSeconds: -1 }),
    texts: { 'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1': '27-' },
  },
  'a name that is not a DNS label': {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'a.b',
    body: { spec: template({}) },
    texts: {
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]':
        '27-',
    },
  },
  'secrets that may be mounted': {
    kind: 'ServiceAccount',
    body: {},
    annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    texts: {
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets':
        '32-',
    },
  },
  'names as endpoints': {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    body: { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }], ports: [] },
    texts: { 'spec.addressType: FQDN endpoints are deprecated': '27-' },
  },
  'the class of an Ingress': {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    annotations: { 'kubernetes.io/ingress.class': 'nginx' },
    body: { spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } },
    texts: { 'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead': '27-' },
  },
  'a volume that is recycled': {
    kind: 'PersistentVolume',
    body: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Recycle',
        glusterfs: { endpoints: 'e', path: 'p' },
      },
    },
    texts: {
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.':
        '30-',
      'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+': '28-',
    },
  },
  'a node that is configured': {
    kind: 'Node',
    body: { spec: { externalID: 'a' } },
    texts: { 'spec.externalID: this field is deprecated, and is unused by Kubernetes': '27-' },
  },
  'a schedule with a zone': {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    body: {
      spec: {
        schedule: 'TZ=UTC 0 0 * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } },
      },
    },
    texts: {
      'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details':
        '24-28',
    },
  },
  'a headless service with an affinity': {
    kind: 'Service',
    body: { spec: { clusterIP: 'None', sessionAffinity: 'ClientIP', externalName: 'a', ports: [{ port: 80 }] } },
    texts: {
      'spec.SessionAffinity is ignored for headless services': '34-',
      'spec.externalName is ignored when spec.type is not "ExternalName"': '28-',
    },
  },
}

function isWithin(span: Span, release: Release): boolean {
  const [first = '', last = ''] = span.split('-')
  const minor = Number(release.slice(2))
  return minor >= Number(first) && (last === '' || minor <= Number(last))
}

describe('warnings by release', () => {
  for (const [what, { apiVersion = 'v1', kind, body, name = 'a', annotations, texts }] of Object.entries(cases))
    it(what, async () => {
      const object = { apiVersion, kind, metadata: { name, namespace: 'ns', ...(annotations && { annotations }) }, ...body }
      const said = Object.fromEntries(
        await Promise.all(
          RELEASES.map(async release => {
            const kinds = new ReleaseKinds(release)
            const found = kinds.find(object)
            return [release, found && (await judge(kinds, found, object)).warnings] as const
          }),
        ),
      )
      const expected = RELEASES.map(
        release => [release, Object.keys(texts).filter(text => isWithin(texts[text] ?? '1-1', release))] as const,
      )
      expect(said).to.deep.equal(Object.fromEntries(expected))
    })
})

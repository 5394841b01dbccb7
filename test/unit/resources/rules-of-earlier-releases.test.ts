import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { isSteps, runAtOnce } from '../../../src/lib/steps.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { fieldErrorText } from '../../../src/meta/field-error.ts'
import { customResourceDefinitionResource } from '../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { jobResource } from '../../../src/resources/batch/job/definition.ts'
import { clusterTrustBundleResource } from '../../../src/resources/certificates/cluster-trust-bundle/definition.ts'
import { endpointsResource } from '../../../src/resources/core/endpoints/definition.ts'
import { persistentVolumeClaimResource } from '../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { endpointSliceResource } from '../../../src/resources/discovery/endpoint-slice/definition.ts'
import { serviceCIDRResource } from '../../../src/resources/networking/service-cidr/definition.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { featuresIn, hookContext } from '../../support/hook-context.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

const metadata = { name: 'x', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const objectOf = ({ hub }: ResourceDefinition, more: object): AnyObject => ({ apiVersion: hub.name, kind: hub.kind, metadata, ...more })

/** The errors of the kind's own validation in a release. */
function errorsOf(
  definition: ResourceDefinition,
  release: Release,
  next: object,
  old?: object,
  gates: Record<string, boolean> = {},
): string[] {
  const context = hookContext({ features: featuresIn(release, gates) })
  const found = definition.strategy?.validate?.(objectOf(definition, next), old && objectOf(definition, old), context) ?? []
  return (isSteps(found) ? runAtOnce(found) : found).map(fieldErrorText)
}

describe('validation that a release introduced', () => {
  it('ClusterTrustBundle: the size of a bundle is limited since 1.29', () => {
    const spec = { trustBundle: 'x'.repeat(1024 * 1024 + 1) }
    expect(errorsOf(clusterTrustBundleResource, '1.29', { spec })).to.deep.equal([
      'spec.trustBundle: Too long: may not be more than 1048576 bytes',
    ])
    expect(errorsOf(clusterTrustBundleResource, '1.28', { spec })).to.deep.equal([
      'spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided',
    ])
  })

  it('Job: a failure policy fails an index since 1.28', () => {
    const template = {
      metadata: {},
      spec: { restartPolicy: 'Never', dnsPolicy: 'Default', terminationGracePeriodSeconds: 1, containers: [] },
    }
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }]
    const at = 'spec.podFailurePolicy.rules[0].action: '
    const inRelease = (release: Release) =>
      errorsOf(jobResource, release, { spec: { template, podFailurePolicy: { rules } } }).filter(error => error.startsWith(at))
    expect(inRelease('1.28')).to.deep.equal([`${at}Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`])
    expect(inRelease('1.27')).to.deep.equal([`${at}Unsupported value: "FailIndex": supported values: "Count", "FailJob", "Ignore"`])
  })

  it('Endpoints: stored subsets remain valid since 1.33', () => {
    const faulty = { subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] }
    const errors = ['subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)']
    expect(errorsOf(endpointsResource, '1.33', faulty, faulty)).to.deep.equal([])
    expect(errorsOf(endpointsResource, '1.33', faulty, { subsets: [] })).to.deep.equal(errors)
    expect(errorsOf(endpointsResource, '1.32', faulty, faulty)).to.deep.equal(errors)
  })

  it('EndpointSlice: stored endpoints remain valid since 1.33, when ports are validated first', () => {
    const faulty = { addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }], ports: [{ name: 'A' }] }
    const name =
      'ports[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must start and end with an alphanumeric character ' +
      "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    const address = 'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'
    expect(errorsOf(endpointSliceResource, '1.33', faulty, faulty)).to.deep.equal([name])
    expect(errorsOf(endpointSliceResource, '1.33', faulty)).to.deep.equal([name, address])
    expect(errorsOf(endpointSliceResource, '1.32', faulty, faulty)).to.deep.equal([address, name])
  })

  it('PersistentVolumeClaim: the VolumeAttributesClass of an unbound claim is immutable since 1.31', () => {
    const claim = (volumeAttributesClassName: string | undefined, phase: string): object => ({
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...(volumeAttributesClassName && { volumeAttributesClassName }),
      },
      status: { phase },
    })
    const gates = { VolumeAttributesClass: true }
    const faults = (release: Release, phase: string, next: string | undefined): string[] =>
      errorsOf(persistentVolumeClaimResource, release, claim(next, phase), claim('gold', phase), gates).map(
        text => text.split('\n')[0] ?? '',
      )
    const fixed =
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    const removed = 'spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden'
    expect(faults('1.30', 'Pending', 'silver')).to.deep.equal([])
    expect(faults('1.31', 'Pending', 'silver')).to.deep.equal([fixed])
    expect(faults('1.31', 'Bound', 'silver')).to.deep.equal([])
    expect(faults('1.30', 'Bound', undefined)).to.deep.equal([removed])
    expect(faults('1.31', 'Bound', undefined)).to.deep.equal([fixed, removed])
  })

  it('Pod: an environment variable may use status.hostIPs since 1.28, with a gate until 1.30', () => {
    const fieldRef = { apiVersion: 'v1', fieldPath: 'status.hostIPs' }
    const pod = {
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            imagePullPolicy: 'Always',
            terminationMessagePolicy: 'File',
            resources: {},
            env: [{ name: 'A', valueFrom: { fieldRef } }],
          },
        ],
        restartPolicy: 'Always',
        dnsPolicy: 'Default',
        terminationGracePeriodSeconds: 30,
        serviceAccountName: 'default',
      },
      status: {},
    }
    const at = 'spec.containers[0].env[0].valueFrom.fieldRef'
    const unknown = `${at}.fieldPath: Invalid value: "status.hostIPs": error converting fieldPath: field label not supported: status.hostIPs`
    const forbidden = `${at}: Forbidden: may not be set when feature gate 'PodHostIPs' is not enabled`
    expect(errorsOf(podResource, '1.27', pod)).to.deep.equal([unknown])
    expect(errorsOf(podResource, '1.28', pod)).to.deep.equal([forbidden])
    expect(errorsOf(podResource, '1.28', pod, pod)).to.deep.equal([])
    expect(errorsOf(podResource, '1.28', pod, undefined, { PodHostIPs: true })).to.deep.equal([])
    expect(errorsOf(podResource, '1.29', pod)).to.deep.equal([])
    expect(errorsOf(podResource, '1.33', pod)).to.deep.equal([])
  })

  it('Pod: a file of the downward API may never use status.hostIPs', () => {
    const fieldRef = { apiVersion: 'v1', fieldPath: 'status.hostIPs' }
    const pod = {
      spec: {
        containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File', resources: {} }],
        volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'a', fieldRef }], defaultMode: 420 } }],
        restartPolicy: 'Always',
        dnsPolicy: 'Default',
        terminationGracePeriodSeconds: 30,
        serviceAccountName: 'default',
      },
      status: {},
    }
    const at = 'spec.volumes[0].downwardAPI.fieldRef'
    const unsupported = `${at}.fieldPath: Unsupported value: "status.hostIPs": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"`
    expect(errorsOf(podResource, '1.27', pod)).to.deep.equal([
      `${at}.fieldPath: Invalid value: "status.hostIPs": error converting fieldPath: field label not supported: status.hostIPs`,
    ])
    expect(errorsOf(podResource, '1.28', pod)).to.deep.equal([
      unsupported,
      `${at}: Forbidden: may not be set when feature gate 'PodHostIPs' is not enabled`,
    ])
    expect(errorsOf(podResource, '1.29', pod)).to.deep.equal([unsupported])
  })

  it('CustomResourceDefinition: optionalOldSelf of a rule is dropped in 1.29, in which its gate is off', () => {
    const definition = (optionalOldSelf?: boolean): AnyObject => {
      const rule = { rule: 'self == oldSelf', ...(optionalOldSelf !== undefined && { optionalOldSelf }) }
      const openAPIV3Schema = {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [rule] } } },
      }
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
      return objectOf(customResourceDefinitionResource, {
        spec: { group: 'example.io', names: { plural: 'as', kind: 'A' }, scope: 'Cluster', versions },
        status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
      })
    }
    const kept = (release: Release, old?: AnyObject, gates: Record<string, boolean> = {}): unknown => {
      const next = definition(false)
      customResourceDefinitionResource.strategy?.prepare?.(next, old, hookContext({ features: featuresIn(release, gates) }))
      return next.spec.versions[0].schema.openAPIV3Schema.properties.a.items['x-kubernetes-validations'][0].optionalOldSelf
    }
    expect(kept('1.29')).to.equal(undefined)
    expect(kept('1.29', undefined, { CRDValidationRatcheting: true })).to.equal(false)
    expect(kept('1.29', definition(true))).to.equal(false)
    expect(kept('1.29', definition())).to.equal(undefined)
    expect(kept('1.30')).to.equal(false)
  })

  it('Pod: ephemeral containers have no manager before 1.33', () => {
    const { strategy } = podResource.hub.subresources?.ephemeralcontainers ?? {}
    const managers = (release: Release): unknown => {
      const spec = { containers: [{ name: 'c', image: 'i' }] }
      const old = { ...objectOf(podResource, { spec, status: {} }), metadata: { ...metadata, managedFields: [{ manager: 'old' }] } }
      const next = {
        ...objectOf(podResource, { spec, status: {} }),
        metadata: { ...metadata, managedFields: [{ manager: 'old' }, { manager: 'new' }] },
      }
      strategy?.prepare?.(next, old, hookContext({ features: featuresIn(release), subresource: 'ephemeralcontainers' }))
      return next.metadata.managedFields.map(({ manager }) => manager)
    }
    expect([managers('1.32'), managers('1.33')]).to.deep.equal([['old'], ['old', 'new']])
  })

  it('ServiceCIDR: a status update keeps metadata since 1.32', () => {
    const { strategy } = serviceCIDRResource.hub.subresources?.status ?? {}
    const labels = (release: Release): unknown => {
      const old = objectOf(serviceCIDRResource, { spec: {}, status: {} })
      const next = { ...old, metadata: { ...metadata, labels: { a: 'b' } } }
      strategy?.prepare?.(next, old, hookContext({ features: featuresIn(release), subresource: 'status' }))
      return next.metadata.labels
    }
    expect([labels('1.31'), labels('1.32')]).to.deep.equal([{ a: 'b' }, undefined])
  })
})

describe('defaults that a release introduced', () => {
  const served = (release: Release, kind: string): ResourceDefinition => {
    const found = servedBuiltins({}, {}, ['10.0.0.0/24'], release).find(({ hub }) => hub.kind === kind)
    if (!found) throw new Error(`there is no ${kind} in ${release}`)
    return found
  }

  it('PriorityLevelConfiguration: zero shares of v1beta3 are unset before 1.29, whatever the annotation', () => {
    const shares = (release: Release): unknown => {
      const version = served(release, 'PriorityLevelConfiguration').versions.find(({ name }) => name === 'v1beta3')
      const annotations = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' }
      const level: AnyObject = {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3',
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'x', annotations },
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } } },
      }
      version?.setDefaults?.(level)
      version?.setGatedDefaults?.(level, parseGates(release))
      return level.spec.limited.nominalConcurrencyShares
    }
    expect([shares('1.28'), shares('1.29')]).to.deep.equal([30, 0])
  })

  it('VolumeAttachment: an inline volume has the defaults of its source in every release', () => {
    const inline = (release: Release): unknown => {
      const { hub } = served(release, 'VolumeAttachment')
      const attachment: AnyObject = {
        ...objectOf(served(release, 'VolumeAttachment'), {
          spec: { source: { inlineVolumeSpec: { rbd: { monitors: ['m'], image: 'i' } } } },
        }),
      }
      hub.setDefaults?.(attachment)
      return attachment.spec.source.inlineVolumeSpec.rbd
    }
    const complete = { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }
    expect([inline('1.30'), inline('1.31')]).to.deep.equal([complete, complete])
  })
})

import { expect } from 'chai'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { featuresOf, hookContext } from '../../../../support/hook-context.ts'
import { kindErrors } from '../../../../support/kind-errors.ts'
import { contextOf, createdPod, createPod, podWith, updatePod } from '../../../../support/pod.ts'

const [version] = podResource.versions
const gated = { schedulingGates: [{ name: 'g' }] }
const required = (terms: object[]) => ({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } })
const expression = (...values: string[]) => ({ key: 'k', operator: 'In', values })

describe('resources/core/pod/strategy', () => {
  describe('create', () => {
    it('sets status and generation', () => {
      const pod = podWith({}, { generation: 7 }, { phase: 'Running', qosClass: 'Guaranteed', podIP: '1.1.1.1' })
      expect(createPod(pod)).to.deep.equal([])
      expect(pod.status).to.deep.equal({ phase: 'Pending', qosClass: 'BestEffort' })
      expect(pod.metadata.generation).to.equal(1)
    })

    it('keeps resource claims with DynamicResourceAllocation, and validates them', () => {
      const claims = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }, { name: 'gpu' }] }
      const ctx = hookContext({ features: featuresOf('DynamicResourceAllocation=true') })
      const pod = podWith({ ...claims, containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'gpu' }, { name: 'x' }] } }] })
      podResource.strategy?.prepare?.(pod, undefined, ctx)
      expect(pod.spec.resourceClaims).to.deep.equal(claims.resourceClaims)
      expect(kindErrors(podResource.strategy, pod, undefined, ctx).map(fieldErrorText)).to.deep.equal([
        'spec.resourceClaims[1].name: Duplicate value: "gpu"',
        'spec.resourceClaims[1]: Invalid value: {"name":"gpu"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        'spec.containers[0].resources.claims[1]: Not found: "x": must be one of the names in pod.spec.resourceClaims: gpu',
      ])
      expect(createPod(pod)).to.deep.equal([])
      expect(pod.spec).not.to.have.property('resourceClaims')
    })

    it('sets a condition for scheduling gates', () => {
      expect(createdPod(gated).status.conditions).to.deep.equal([
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: '2026-01-01T16:00:00Z',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ])
    })

    it('merges label keys into selectors', () => {
      const term = {
        topologyKey: 'z',
        labelSelector: { matchLabels: { a: 'b' } },
        matchLabelKeys: ['rev', 'none'],
        mismatchLabelKeys: ['tenant'],
      }
      const pod = createdPod(
        { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
        { labels: { rev: '1', tenant: 't' } },
      )
      expect(pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions).to.deep.equal([
        { key: 'rev', operator: 'In', values: ['1'] },
        { key: 'tenant', operator: 'NotIn', values: ['t'] },
      ])
    })

    it('converts AppArmor annotations to fields, with a warning', () => {
      const key = 'container.apparmor.security.beta.kubernetes.io/c'
      const pod = podWith({}, { annotations: { [key]: 'localhost/a' } })
      const warned: string[] = []
      expect(createPod(pod, warned)).to.deep.equal([])
      expect(pod.spec.containers[0].securityContext.appArmorProfile).to.deep.equal({ type: 'Localhost', localhostProfile: 'a' })
      expect(warned).to.deep.equal([`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`])
    })

    const profiles: readonly (readonly [profile: object, annotation: string | undefined])[] = [
      [{ type: 'Unconfined' }, 'unconfined'],
      [{ type: 'RuntimeDefault' }, 'runtime/default'],
      [{ type: 'Localhost', localhostProfile: 'a' }, 'localhost/a'],
    ]
    for (const [appArmorProfile, annotation] of profiles)
      it(`annotates a pod with the AppArmor profile ${annotation}`, () => {
        const pod = podWith({ securityContext: { appArmorProfile } })
        expect(createPod(pod, [])).to.deep.equal([])
        expect(pod.metadata.annotations).to.deep.equal({ 'container.apparmor.security.beta.kubernetes.io/c': annotation })
      })

    it('warns about an empty projected volume', () => {
      const warned: string[] = []
      createPod(podWith({ volumes: [{ name: 'v', projected: { sources: [{}] } }] }), warned)
      expect(warned).to.include('volume "v" (Projected) has no sources provided')
    })

    it('warns about a name that is not a DNS label', () => {
      const warned: string[] = []
      createPod(podWith({}, { name: 'a.b' }), warned)
      expect(warned[0]).to.match(
        /^metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: \[.+\]$/,
      )
    })

    for (const [annotations, error] of [
      [
        { 'kubernetes.io/config.mirror': 'x' },
        'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      ],
      [
        { 'controller.kubernetes.io/pod-deletion-cost': '+1' },
        'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      ],
      [
        { 'seccomp.security.alpha.kubernetes.io/pod': 'x' },
        'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile',
      ],
      [
        { 'container.apparmor.security.beta.kubernetes.io/d': 'unconfined' },
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "d": container not found',
      ],
    ] as const) {
      it(`refuses ${JSON.stringify(annotations)}`, () => expect(createPod(podWith({}, { annotations }))).to.deep.equal([error]))
    }
  })

  describe('update', () => {
    const changes: [name: string, spec: object, change: (spec: AnyObject['spec']) => void, ...errors: string[]][] = [
      ['an image', {}, s => Object.assign(s.containers[0], { image: 'i:2' })],
      [
        'no image',
        {},
        s => Object.assign(s.containers[0], { image: '' }),
        'spec.containers[0].image: Required value',
        'spec.containers[0].image: Required value',
      ],
      [
        'a container more',
        {},
        s => s.containers.push({ name: 'd', image: 'i' }),
        'spec.containers: Forbidden: pod updates may not add or remove containers',
      ],
      ['a deadline', {}, s => Object.assign(s, { activeDeadlineSeconds: 5 })],
      [
        'a later deadline',
        { activeDeadlineSeconds: 5 },
        s => Object.assign(s, { activeDeadlineSeconds: 6 }),
        'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
      ],
      ['a toleration more', {}, s => Object.assign(s, { tolerations: [{ key: 'a', operator: 'Exists' }] })],
      [
        'a toleration less',
        { tolerations: [{ key: 'a', operator: 'Exists' }] },
        s => Object.assign(s, { tolerations: [] }),
        'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ],
      ['a gate less', gated, s => Object.assign(s, { schedulingGates: [] })],
      [
        'a gate more',
        {},
        s => Object.assign(s, gated),
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'",
      ],
      ['a node selector of a gated pod', gated, s => Object.assign(s, { nodeSelector: { a: 'b' } })],
      [
        'a node selector taken from a gated pod',
        { ...gated, nodeSelector: { a: 'b' } },
        s => Object.assign(s, { nodeSelector: { c: 'd' } }),
        'spec.nodeSelector: Invalid value: map[string]string{"c":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
      ['node affinity of a gated pod', gated, s => Object.assign(s, { affinity: required([{ matchExpressions: [expression('a')] }]) })],
      [
        'a requirement more of a gated pod',
        { ...gated, affinity: required([{ matchExpressions: [expression('a')] }]) },
        s =>
          s.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions.push(
            expression('b'),
          ),
      ],
      [
        'another requirement of a gated pod',
        { ...gated, affinity: required([{ matchExpressions: [expression('a')] }]) },
        s => Object.assign(s, { affinity: required([{ matchExpressions: [expression('b')] }]) }),
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement{core.NodeSelectorRequirement{Key:"k", Operator:"In", Values:[]string{"b"}}}, MatchFields:[]core.NodeSelectorRequirement(nil)}: only additions are allowed (no mutations or deletions)',
      ],
      [
        'a negative grace period becomes 1',
        { terminationGracePeriodSeconds: -1 },
        s => Object.assign(s, { terminationGracePeriodSeconds: 1 }),
      ],
    ]
    for (const [name, spec, change, ...errors] of changes) {
      it(name, () => {
        const old = createdPod(spec)
        const { pod, errors: found } = updatePod(old, next => change(next.spec))
        expect(found).to.deep.equal(errors)
        expect(pod.metadata.generation).to.equal(2)
        expect(pod.status).to.deep.equal(old.status)
      })
    }

    it('rejects other changes, with a diff', () => {
      const { errors } = updatePod(createdPod({}), pod => Object.assign(pod.spec, { nodeName: 'n' }))
      expect(errors).to.have.length(1)
      expect(errors[0])
        .to.match(/^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,/)
        .and.to.match(/\n {2}core\.PodSpec\{\n.*\n- \tNodeName: +"",\n\+ \tNodeName: +"n",\n/s)
    })

    it('keeps the generation if the spec is unchanged', () => {
      const { pod, errors } = updatePod(createdPod({}), next => Object.assign(next.metadata, { labels: { a: 'b' } }))
      expect([errors, pod.metadata.generation]).to.deep.equal([[], 1])
    })

    it('protects annotations of mirror pods', () => {
      const { errors } = updatePod(
        createdPod({ nodeName: 'n' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
        pod => delete pod.metadata.annotations,
      )
      expect(errors).to.deep.equal([
        'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation',
      ])
    })
  })

  describe('status', () => {
    it('changes only the status', () => {
      const { pod, errors } = updatePod(
        createdPod({}),
        next => {
          next.spec.nodeName = 'n'
          next.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }]
          next.status = { phase: 'Running', podIP: '1.1.1.1' }
        },
        'status',
      )
      expect(errors).to.deep.equal([])
      expect(pod.spec).not.to.have.property('nodeName')
      expect(pod.metadata).not.to.have.property('ownerReferences')
      expect(pod.status).to.deep.equal({ phase: 'Running', podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }], qosClass: 'BestEffort' })
    })

    const ended = [{ name: 'c', state: { terminated: { exitCode: 0 } } }]
    const changes: [name: string, status: object, ...errors: string[]][] = [
      ['qos', { qosClass: 'Guaranteed' }, 'status.qosClass: Invalid value: "Guaranteed": field is immutable'],
      [
        'two addresses of a family',
        { podIPs: [{ ip: '1.1.1.1' }, { ip: '2.2.2.2' }] },
        'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"1.1.1.1"}, core.PodIP{IP:"2.2.2.2"}}: may specify no more than one IP for each IP family',
      ],
      [
        'addresses of the host',
        { hostIP: '1.1.1.1', hostIPs: [{ ip: '2.2.2.2' }] },
        'status.hostIPs[0].ip: Invalid value: "2.2.2.2": must be equal to `hostIP`',
      ],
      [
        'back from the end',
        { containerStatuses: [{ name: 'c', state: { running: {} } }] },
        'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
      ],
      [
        'a user of a process',
        { containerStatuses: [{ ...ended[0], user: { linux: { uid: -1, gid: 0 } } }] },
        'status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ],
    ]
    for (const [name, status, ...errors] of changes) {
      it(name, () => {
        const old = createdPod({ restartPolicy: 'Never' })
        old.status.containerStatuses = ended
        expect(updatePod(old, next => Object.assign(next, { status }), 'status').errors).to.deep.equal(errors)
      })
    }
  })

  describe('ephemeralcontainers', () => {
    const debug = { name: 'd', image: 'busybox' }
    const withDebug = (): AnyObject =>
      updatePod(createdPod({}), pod => Object.assign(pod.spec, { ephemeralContainers: [debug] }), 'ephemeralcontainers').pod

    it('adds ephemeral containers only', () => {
      const { pod, errors } = updatePod(
        createdPod({}),
        next => {
          next.spec.ephemeralContainers = [debug]
          next.spec.containers[0].image = 'other'
          next.metadata.labels = { a: 'b' }
        },
        'ephemeralcontainers',
      )
      expect(errors).to.deep.equal([])
      expect(pod.spec.ephemeralContainers[0]).to.include({ name: 'd', imagePullPolicy: 'Always' })
      expect(pod.spec.containers[0].image).to.equal('i:1')
      expect(pod.metadata).to.not.have.property('labels')
      expect(pod.metadata.generation).to.equal(2)
    })

    it('rejects the removal of one', () => {
      const { errors } = updatePod(withDebug(), pod => delete pod.spec.ephemeralContainers, 'ephemeralcontainers')
      expect(errors).to.deep.equal(['spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n'])
    })

    it('rejects a change of one', () => {
      const { errors } = updatePod(
        withDebug(),
        pod => Object.assign(pod.spec.ephemeralContainers[0], { image: 'a:1' }),
        'ephemeralcontainers',
      )
      expect(errors[0]).to.contain('existing ephemeral containers "d" may not be changed\n  core.EphemeralContainer{\n')
      expect(errors[0]).to.match(/\n- \t\tImage: +"busybox",\n\+ \t\tImage: +"a:1",\n/)
    })

    it('rejects fields that ephemeral containers may not have', () => {
      const { errors } = updatePod(
        createdPod({}),
        pod =>
          Object.assign(pod.spec, {
            ephemeralContainers: [{ ...debug, ports: [{ containerPort: 1 }], lifecycle: {}, targetContainerName: 'x' }],
          }),
        'ephemeralcontainers',
      )
      expect(errors).to.deep.equal([
        'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container',
      ])
    })
  })

  describe('resize', () => {
    const resources = (cpu: string, memory: string) => ({ limits: { cpu, memory }, requests: { cpu, memory } })
    const old = (): AnyObject => createdPod({ containers: [{ name: 'c', image: 'i:1', resources: resources('1', '1Gi') }] })
    const resized = (change: (container: AnyObject['spec']) => void) => updatePod(old(), pod => change(pod.spec.containers[0]), 'resize')

    it('changes cpu and memory only', () => {
      const { pod, errors } = resized(c => Object.assign(c, { image: 'other', resources: resources('2', '2Gi') }))
      expect(errors).to.deep.equal([])
      expect(pod.spec.containers[0]).to.deep.include({ image: 'i:1', resources: resources('2', '2Gi') })
      expect(pod.metadata.generation).to.equal(2)
    })

    const refused: [name: string, resources: object, ...errors: string[]][] = [
      [
        'less memory',
        resources('1', '1Mi'),
        'spec.containers[0].resources.limits[memory]: Forbidden: memory limits cannot be decreased unless resizePolicy is RestartContainer',
      ],
      [
        'no limits',
        { requests: { cpu: '1', memory: '1Gi' } },
        'spec: Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
      ],
      [
        'another resource',
        { limits: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1' }, requests: { cpu: '1', memory: '1Gi' } },
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
    ]
    for (const [name, wanted, ...errors] of refused) {
      it(`refuses ${name}`, () => expect(resized(c => Object.assign(c, { resources: wanted })).errors).to.deep.equal(errors))
    }

    it('rejects reordered containers', () => {
      expect(resized(c => Object.assign(c, { name: 'd' })).errors).to.deep.equal([
        'spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize',
      ])
    })
  })

  describe('gracePeriod', () => {
    const cases: [name: string, spec: object, phase: string, requested: number | undefined, wanted: number][] = [
      ['of the spec', { nodeName: 'n' }, 'Running', undefined, 30],
      ['as requested', { nodeName: 'n' }, 'Running', 5, 5],
      ['negative is 1', { nodeName: 'n' }, 'Running', -1, 1],
      ['not scheduled', {}, 'Pending', 5, 0],
      ['failed', { nodeName: 'n' }, 'Failed', 5, 0],
      ['succeeded', { nodeName: 'n' }, 'Succeeded', undefined, 0],
    ]
    for (const [name, spec, phase, requested, wanted] of cases) {
      it(name, () => expect(podResource.strategy?.gracePeriod?.(podWith(spec, {}, { phase }), requested, contextOf())).to.equal(wanted))
    }
  })

  it('can be selected by fields', () => {
    const pod = podWith({ nodeName: 'n', serviceAccountName: 's', hostNetwork: true }, {}, { phase: 'Running', podIP: '1.1.1.1' })
    const fields = Object.fromEntries(Object.entries(version.selectableFields ?? {}).map(([name, of]) => [name, of(pod)]))
    expect(fields).to.deep.equal({
      'spec.nodeName': 'n',
      'spec.restartPolicy': 'Always',
      'spec.schedulerName': 'default-scheduler',
      'spec.serviceAccountName': 's',
      'spec.hostNetwork': 'true',
      'status.phase': 'Running',
      'status.podIP': '1.1.1.1',
      'status.podIPs': '',
      'status.nominatedNodeName': '',
    })
  })
})

import { expect } from 'chai'
import type { Pod, PodTemplateSpec } from '../../../../../src/api/core/v1.types.ts'
import { noteMembers } from '../../../../../src/lib/wide-objects.ts'
import { setPodDefaults } from '../../../../../src/resources/core/pod/defaults.ts'
import { defaultPodTemplate, isLatest } from '../../../../../src/resources/core/pod-spec/defaults.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { podWith } from '../../../../support/pod.ts'

describe('resources/core/pod-spec/defaults', () => {
  const images: Record<string, boolean> = {
    nginx: true,
    'nginx:latest': true,
    'nginx:1.27': false,
    'nginx:latest-alpine': false,
    'localhost:5000/team/app': true,
    'localhost:5000/team/app:1': false,
    [`nginx@sha256:${'a'.repeat(64)}`]: false,
    [`nginx:latest@sha256:${'a'.repeat(64)}`]: true,
    'NOT an image': false,
    '[fe80::1]:5000/a': true,
  }
  for (const [image, latest] of Object.entries(images)) {
    it(`pulls ${image} ${latest ? 'always' : 'if not present'}`, () => expect(isLatest(image)).to.equal(latest))
  }

  it('defaults a spec', () => {
    const { spec } = podWith({ serviceAccount: 'sa' })
    expect(spec).to.include({
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    })
    expect(spec).to.include({ serviceAccountName: 'sa', serviceAccount: 'sa', enableServiceLinks: true })
    expect(spec.securityContext).to.deep.equal({})
    expect(spec.containers[0]).to.deep.include({
      name: 'c',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    })
  })

  it('keeps given values', () => {
    const given = {
      dnsPolicy: 'Default',
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      schedulerName: 's',
      enableServiceLinks: false,
    }
    expect(podWith(given).spec).to.include(given)
  })

  it('defaults probes, ports and references', () => {
    const [container] = podWith({
      containers: [
        {
          name: 'c',
          ports: [{ containerPort: 1 }],
          env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          livenessProbe: { httpGet: { port: 1 } },
          lifecycle: { preStop: { httpGet: { port: 2 } } },
        },
      ],
    }).spec.containers
    expect(container.ports[0].protocol).to.equal('TCP')
    expect(container.env[0].valueFrom.fieldRef.apiVersion).to.equal('v1')
    expect(container.livenessProbe).to.deep.equal({
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
      httpGet: { port: 1, path: '/', scheme: 'HTTP' },
    })
    expect(container.lifecycle.preStop.httpGet).to.include({ path: '/', scheme: 'HTTP' })
  })

  it('defaults volumes', () => {
    const { volumes } = podWith({
      volumes: [
        { name: 'a' },
        { name: 'b', hostPath: { path: '/' } },
        { name: 'c', secret: { secretName: 's' } },
        { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
        { name: 'e', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      ],
    }).spec
    expect(volumes[0].emptyDir).to.deep.equal({})
    expect(volumes[1].hostPath.type).to.equal('')
    expect(volumes[2].secret.defaultMode).to.equal(0o644)
    expect(volumes[3].projected).to.deep.include({ defaultMode: 0o644 })
    expect(volumes[3].projected.sources[0].serviceAccountToken.expirationSeconds).to.equal(3600)
    expect(volumes[4].ephemeral.volumeClaimTemplate.spec.volumeMode).to.equal('Filesystem')
  })

  it('defaults requests to limits, only in pods, and rounds to milli-units', () => {
    const containers = () => [{ name: 'c', image: 'i', resources: { limits: { cpu: '100u', memory: '1Gi' }, requests: { memory: '1Mi' } } }]
    expect(podWith({ containers: containers() }).spec.containers[0].resources.requests).to.deep.equal({ cpu: '1m', memory: '1Mi' })
    const template = { metadata: {}, spec: { containers: containers() } }
    defaultPodTemplate(template)
    expect(template.spec.containers[0]?.resources.requests).to.deep.equal({ memory: '1Mi' })
    expect(template.spec).not.to.have.property('enableServiceLinks')
  })

  it('defaults and rounds long lists of resources in steps', () => {
    const limits = { ...Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`e.io/r${i}`, '1'])), cpu: '100u' }
    const resources = { limits: noteMembers({ ...limits }, 5001), requests: { cpu: '1' } }
    const spec = { containers: [{ name: 'c', image: 'i', resources }], overhead: noteMembers({ ...limits }, 5001) }
    const pod = { metadata: {}, spec: structuredClone(spec) }
    noteMembers(pod.spec.containers[0]?.resources.limits ?? {}, 5001)
    noteMembers(pod.spec.overhead, 5001)
    const steps = setPodDefaults({ kind: 'Pod', apiVersion: 'v1', status: {}, ...pod } as unknown as Pod)
    expect(pod.spec.containers[0]?.resources.limits.cpu).to.equal('100u')
    expect(steps && countedSteps(steps).yields).to.be.above(5)
    const { limits: rounded, requests } = pod.spec.containers[0]?.resources ?? {}
    expect([rounded?.cpu, pod.spec.overhead.cpu]).to.deep.equal(['1m', '1m'])
    expect(requests).to.deep.equal({ ...limits, cpu: '1' })
    const template = { metadata: {}, spec }
    const rest = defaultPodTemplate(template as unknown as PodTemplateSpec)
    expect(rest && countedSteps(rest).yields).to.be.above(5)
    expect([resources.limits.cpu, resources.requests]).to.deep.equal(['1m', { cpu: '1' }])
  })

  it('defaults the host ports of a pod on the host network', () => {
    const ports = [{ containerPort: 1 }, { containerPort: 2, hostPort: 3 }]
    const pod = podWith({
      hostNetwork: true,
      containers: [{ name: 'c', ports }],
      initContainers: [{ name: 'i', ports: [{ containerPort: 4 }] }],
    })
    expect(pod.spec.containers[0].ports.map((port: { hostPort: number }) => port.hostPort)).to.deep.equal([1, 3])
    expect(pod.spec.initContainers[0].ports[0].hostPort).to.equal(4)
  })

  it('drops the former annotations of init containers', () => {
    expect(podWith({}, { annotations: { 'pod.beta.kubernetes.io/init-containers': '[]', a: 'b' } }).metadata.annotations).to.deep.equal({
      a: 'b',
    })
    expect(podWith({}, { annotations: { 'pod.alpha.kubernetes.io/init-container-statuses': '[]' } }).metadata).not.to.have.property(
      'annotations',
    )
  })

  for (const [status, wanted] of [
    [{ podIP: '1.1.1.1' }, { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] }],
    [{ podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }, { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }],
    [
      { podIP: '2.2.2.2', podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] },
      { podIP: '2.2.2.2', podIPs: [{ ip: '2.2.2.2' }] },
    ],
  ]) {
    it(`makes ${JSON.stringify(status)} agree`, () => expect(podWith({}, {}, status).status).to.deep.equal(wanted))
  }

  it('is idempotent', () => {
    const pod = podWith({ hostNetwork: true, volumes: [{ name: 'v' }] })
    const again = structuredClone(pod)
    defaultPodTemplate(again)
    expect(again).to.deep.equal(pod)
  })
})

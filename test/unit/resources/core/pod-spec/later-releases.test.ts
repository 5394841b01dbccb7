import { expect } from 'chai'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { KindCases } from '../../../../support/kind-cases.ts'
import { servedBuiltins } from '../../../../support/served-builtins.ts'

/** Pods as validated by a release with some gates set. */
function pods(release: Release, gates: Record<string, boolean> = {}): KindCases {
  const definition = servedBuiltins({}, gates, ['10.0.0.0/24'], release).find(({ hub }) => hub.kind === 'Pod')
  if (!definition) throw new Error('there are no pods')
  const cases = new KindCases(definition)
  cases.server.features = parseGates(release, new Map(Object.entries(gates)))
  return cases
}

const pod = (spec: object = {}, container: object = {}): object => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], restartPolicy: 'Never', ...spec },
})
const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [42] } }
const rules = { restartPolicy: 'Never', restartPolicyRules: [rule] }

async function errorsOf(write: Promise<unknown>): Promise<string[]> {
  try {
    await write
    return []
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
}

const container = ({ spec }: AnyObject): Record<string, unknown> => spec.containers[0]

describe('restart rules of containers', () => {
  it('are rejected before 1.34, dropped in 1.34 with the gate off, and stored from 1.35 on', async () => {
    expect(await errorsOf(pods('1.33').create(pod({}, rules)))).to.deep.equal([
      'spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers',
    ])
    expect(container(await pods('1.34').create(pod({}, rules)))).to.not.have.any.keys('restartPolicy', 'restartPolicyRules')
    expect(container(await pods('1.34', { ContainerRestartRules: true }).create(pod({}, rules)))).to.deep.include(rules)
    expect(container(await pods('1.35').create(pod({}, rules)))).to.deep.include(rules)
  })

  it('are validated', async () => {
    expect(
      await errorsOf(
        pods('1.35').create(pod({}, { restartPolicyRules: [{ ...rule, action: 'RestartAllContainers' }, { action: 'Restart' }] })),
      ),
    ).to.deep.equal([
      'spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
      'spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be specified',
    ])
    const sidecar = { initContainers: [{ name: 's', image: 'i', restartPolicy: 'Always', restartPolicyRules: [rule] }] }
    expect(await errorsOf(pods('1.35').create(pod(sidecar)))).to.deep.equal([
      'spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed for init containers with restart policy Always',
    ])
    expect(await errorsOf(pods('1.36').create(pod(sidecar)))).to.deep.equal([])
    const many = { ...rules, restartPolicyRules: Array(21).fill(rule) }
    expect(await errorsOf(pods('1.35').create(pod({}, many)))).to.deep.equal([
      'spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items',
    ])
  })

  it('allow a container to restart', async () => {
    const cases = pods('1.35')
    await cases.create(pod({}, rules))
    const status = (exitCode: number | undefined): object => ({
      ...pod({}, rules),
      status: {
        containerStatuses: [
          {
            name: 'c',
            image: 'i',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: exitCode === undefined ? {} : { terminated: { exitCode } },
          },
        ],
      },
    })
    await cases.update(status(42), {}, 'status')
    expect(await errorsOf(cases.update(status(undefined), {}, 'status'))).to.deep.equal([])
    await cases.update(status(1), {}, 'status')
    expect(await errorsOf(cases.update(status(undefined), {}, 'status'))).to.deep.equal([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ])
  })
})

describe('variables from files', () => {
  const env = (fileKeyRef: object) => ({ env: [{ name: 'A', valueFrom: { fileKeyRef } }] })
  const ref = { volumeName: 'v', path: 'd/f', key: 'A' }
  const volumes = [
    { name: 'v', emptyDir: {} },
    { name: 'w', hostPath: { path: '/x' } },
  ]

  it('exist from 1.35 on', async () => {
    expect(await errorsOf(pods('1.34').create(pod({ volumes }, env(ref))))).to.deep.equal([
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
    ])
    expect(container(await pods('1.35').create(pod({ volumes }, env(ref)))).env).to.deep.equal([
      { name: 'A', valueFrom: { fileKeyRef: { ...ref, optional: false } } },
    ])
  })

  it('require an emptyDir volume', async () => {
    expect(await errorsOf(pods('1.35').create(pod({ volumes }, env({ volumeName: 'w', path: '../f', key: '' }))))).to.deep.equal([
      'spec.containers[0].env[0].valueFrom.fileKeyRef.key: Required value',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: "../f": must not contain \'..\'',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "w": referenced volume must be of type emptyDir',
    ])
    expect(await errorsOf(pods('1.35').create(pod({}, env(ref))))).to.deep.equal([
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "v"',
    ])
  })
})

describe('hostnameOverride', () => {
  it('replaces the whole hostname from 1.35 on', async () => {
    expect((await pods('1.34').create(pod({ hostnameOverride: 'a.b' }))).spec).to.not.have.property('hostnameOverride')
    expect((await pods('1.35').create(pod({ hostnameOverride: 'a.b' }))).spec.hostnameOverride).to.equal('a.b')
    const long = 'a'.repeat(65)
    expect(await errorsOf(pods('1.35').create(pod({ hostnameOverride: long, hostNetwork: true, setHostnameAsFQDN: true })))).to.deep.equal([
      'spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
      'spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true',
      'spec.hostnameOverride: Too long: may not be more than 64 bytes',
    ])
  })
})

describe('fields of 1.37 with a gate', () => {
  const at = 'spec.containers[0]'
  const responder = { name: 'acme.io/a', priority: 1000 }
  const files = (source: object): object => ({ volumes: [{ name: 'v', ...source }] })
  const cases: [gate: string, spec: object, container: object, errors: string[]][] = [
    ['EmptyDirVolumeMode', files({ emptyDir: { mode: 0o1777 } }), {}, []],
    [
      'EmptyDirVolumeMode',
      files({ emptyDir: { mode: 0o2000 } }),
      {},
      ['spec.volumes[0].emptyDir.mode: Invalid value: 1024: must be a number between 0 and 01777 (octal), both inclusive'],
    ],
    [
      'AtomicWriteVolumeUserFields',
      files({ configMap: { name: 'm', defaultUser: -1, items: [{ key: 'k', path: 'p', user: -2 }] } }),
      {},
      [
        'spec.volumes[0].configMap.defaultUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.volumes[0].configMap.items[0].user: Invalid value: -2: must be between 0 and 2147483647, inclusive',
      ],
    ],
    [
      'VolumeBindMountOptions',
      files({ emptyDir: {} }),
      { volumeMounts: [{ name: 'v', mountPath: '/v', bindMountOptions: ['nodev', 'exec'] }] },
      [`${at}.volumeMounts[0].bindMountOptions[1]: Unsupported value: "exec": supported values: "nodev", "noexec", "nosuid"`],
    ],
    [
      'VolumeBindMountOptions',
      files({ image: { reference: 'i', pullPolicy: 'Always' } }),
      { volumeMounts: [{ name: 'v', mountPath: '/v', bindMountOptions: ['nodev'] }] },
      [`${at}.volumeMounts[0].bindMountOptions: Forbidden: not allowed in image volume sources`],
    ],
    [
      'H2CContainerProbe',
      {},
      { readinessProbe: { httpGet: { port: 80, protocol: 'HTTP3' } } },
      [`${at}.readinessProbe.httpGet.protocol: Unsupported value: "HTTP3": supported values: "HTTP1", "HTTP2"`],
    ],
    [
      'GRPCContainerProbeTLS',
      {},
      { readinessProbe: { grpc: { port: 80, mode: 'SSL' } } },
      [`${at}.readinessProbe.grpc.mode: Unsupported value: "SSL": supported values: "Plaintext", "TLS"`],
    ],
    ['EvictionRequestAPI', { evictionResponders: [responder] }, {}, []],
    [
      'EvictionRequestAPI',
      { evictionResponders: [{ name: 'a.k8s.io/a', priority: 999 }, { name: 'a' }] },
      {},
      [
        'spec.evictionResponders[0].name: Invalid value: "a.k8s.io/a": domain names *.k8s.io, *.kubernetes.io are reserved',
        'spec.evictionResponders[0].priority: Invalid value: 999: priorities 0-999 are reserved for responders with *.k8s.io suffix',
        'spec.evictionResponders[1].name: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")',
        'spec.evictionResponders[1].priority: Required value',
      ],
    ],
    [
      'EvictionRequestAPI',
      { evictionResponders: [responder, responder] },
      {},
      ['spec.evictionResponders[1]: Duplicate value: {"name":"acme.io/a","priority":1000}'],
    ],
    [
      'EvictionRequestAPI',
      { evictionResponders: Array.from({ length: 11 }, (_, i) => ({ ...responder, name: `acme.io/a${i}` })) },
      {},
      ['spec.evictionResponders: Too many: 11: must have at most 10 items'],
    ],
  ]
  for (const [gate, spec, container, errors] of cases)
    it(`are validated: ${gate}${errors.length === 0 ? ', a valid value' : `, ${errors[0]?.split(':')[0]}`}`, async () => {
      expect(await errorsOf(pods('1.37', { [gate]: true }).create(pod(spec, container)))).to.deep.equal(errors)
      expect(await errorsOf(pods('1.37').create(pod(spec, container))), 'cleared').to.deep.equal([])
    })
})

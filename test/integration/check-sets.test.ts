import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import type { CheckOptions } from '../../src/check/types.ts'

const found = async (text: string, options: CheckOptions = {}): Promise<string[]> => {
  const { findings } = await check({ texts: { a: text }, ...options })
  return findings.map(({ rule, severity, position, message }) => `${position?.line} ${severity} ${rule} ${message}`)
}

const workload = (name: string, replicas: number, cpu: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: small}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: a, image: b, resources: {requests: {cpu: ${cpu}}}}]}
`

const NAMESPACE = `apiVersion: v1
kind: Namespace
metadata: {name: small}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: small}
spec: {hard: {requests.cpu: "1"}}
`

describe('binnacle check of a set of objects', () => {
  it('counts the replicas of all workloads against quotas', async () => {
    const text = NAMESPACE + workload('web', 4, '200m') + workload('job', 3, '100m')
    expect(await found(text)).to.deep.equal([
      '24 warning quota-exceeded only 2 of 3 new pods would be created: pods "job-…" is forbidden: exceeded quota: few, requested: requests.cpu=100m, used: requests.cpu=1, limited: requests.cpu=1',
    ])
  })

  it('gives the pods of a StatefulSet the volumes of its claim templates', async () => {
    const text = `apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec: {hard: {pods: "3"}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 4
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: b, volumeMounts: [{name: data, mountPath: /data}]}]
      volumes: [{name: data, emptyDir: {}}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
    const denied = (await found(text)).filter(line => / (?:pods-denied|quota-exceeded) /.test(line))
    expect(denied.map(line => line.slice(0, 63))).to.deep.equal(['10 warning quota-exceeded only 3 of 4 new pods would be created'])
  })

  it('reports workloads whose pods Pod Security denies', async () => {
    const text = `apiVersion: v1
kind: Namespace
metadata:
  name: small
  labels: {pod-security.kubernetes.io/enforce: baseline}
${workload('web', 1, '1').replace('name: a, image: b', 'name: a, image: b, securityContext: {privileged: true}')}`
    const [warned = '', denied = '', ...more] = await found(text)
    expect(more).to.deep.equal([])
    expect(warned).to.match(/^7 warning pod-security would violate PodSecurity "baseline:latest"/)
    expect(denied).to.match(
      /^13 warning pods-denied pods of this Deployment would be denied: pods "web-…" is forbidden: violates PodSecurity "baseline:latest": privileged/,
    )
    expect((await found(text, { strict: true }))[1]).to.match(/^13 error pods-denied/)
  })

  it('reports what a controller of the input creates as a note, with what creates it', async () => {
    const text = `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web}
spec: {secretName: web-tls}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: init}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: init, namespace: other}
rules: [{apiGroups: [''], resources: [secrets], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: init, namespace: other}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: init}
subjects: [{kind: ServiceAccount, name: init, namespace: default}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, annotations: {cert-manager.io/cluster-issuer: letsencrypt}}
spec:
  tls: [{secretName: by-annotation}]
  rules: [{host: a.example}]
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: a, image: b, envFrom: [{secretRef: {name: absent}}]}]
  volumes: [{name: tls, secret: {secretName: web-tls}}]
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: other}
spec:
  containers: [{name: a, image: b, envFrom: [{secretRef: {name: by-init}}, {configMapRef: {name: absent}}]}]
`
    const { findings } = await check({ texts: { a: text }, release: '1.36' })
    const references = findings
      .filter(({ rule }) => rule === 'missing-reference')
      .map(({ severity, message, advice = '' }) => `${severity} ${message}, ${advice}`)
    expect(references).to.deep.equal([
      'note Secret "by-annotation" in namespace default does not exist, it is not in the input, and may be created later by the annotation cert-manager.io/cluster-issuer',
      'warning Secret "absent" in namespace default does not exist, ',
      'note Secret "web-tls" in namespace default does not exist, it is not in the input, and may be created later by Certificate web',
      'note Secret "by-init" in namespace other does not exist, it is not in the input, and may be created later by a pod with Role init',
      'warning ConfigMap "absent" in namespace other does not exist, ',
    ])
  })

  it('looks up no claim that a claim template of a StatefulSet replaces', async () => {
    const text = `apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: a, image: b}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
`
    expect((await check({ texts: { a: text }, release: '1.36' })).findings).to.deep.equal([])
  })

  it('checks pods when all objects are there, under the name that the server generates', async () => {
    const text = `apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec: {hard: {pods: '5'}}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: once-}
spec:
  template:
    spec: {restartPolicy: Never, serviceAccountName: runner, containers: [{name: a, image: b}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner}
`
    expect((await check({ texts: { a: text }, release: '1.36', asGiven: true })).findings).to.deep.equal([])
    const { findings } = await check({ texts: { a: text.replace('name: runner}\n', 'name: other}\n') }, release: '1.36', asGiven: true })
    expect(findings.map(({ rule }) => rule)).to.include('pods-denied')
    expect(findings.map(({ message }) => message).join()).to.match(/pods "once-\w+-/)
  })

  it('reports references and selectors that lead nowhere', async () => {
    const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {known: a}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: runner
      priorityClassName: system-cluster-critical
      containers:
      - name: a
        image: b
        envFrom:
        - configMapRef: {name: config}
        - secretRef: {name: lost}
        env:
        - {name: X, valueFrom: {configMapKeyRef: {name: config, key: known}}}
        - {name: Z, valueFrom: {configMapKeyRef: {name: config, key: unknown}}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: wob}
  ports: [{port: 80}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  ingressClassName: nginx
  defaultBackend: {service: {name: web, port: {number: 8080}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: default, namespace: default}]
`
    expect(await found(text)).to.deep.equal([
      '14 warning missing-reference ServiceAccount "runner" in namespace default does not exist',
      '21 warning missing-reference Secret "lost" in namespace default does not exist',
      '24 warning missing-reference ConfigMap "config" in namespace default has no key "unknown"',
      '30 warning unmatched-selector the selector selects no pods of a workload in namespace default',
      '37 note missing-reference IngressClass "nginx" does not exist',
      '38 warning missing-reference Service "web" in namespace default has no port 8080',
    ])
  })
})

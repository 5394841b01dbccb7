/**
 * Time and memory of `binnacle check` on 1,000 objects of 60 files, from a cold start of the built program: least wall
 * time and processor time of some runs, and most memory. Bound: 2.5 s of wall time on two idle cores, 300 MB.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FILES = 60
const OBJECTS = 1000
const RUNS = Number(process.env.RUNS ?? 5)
const NAMESPACES = 10

/** Prints the resources that the process has used. */
const REPORT = `data:text/javascript,process.on('exit', () => { const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage(); process.stderr.write(JSON.stringify({ maxRSS, cpu: userCPUTime + systemCPUTime })) })`

const deployment = (name: string, namespace: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: ${name}
spec:
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/instance: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: web
        app.kubernetes.io/instance: ${name}
    spec:
      containers:
      - name: web
        image: registry.example.dev/web:1.2.3
        args: ["--port", "8080", "--config", "/etc/web/config.yaml"]
        ports:
        - name: http
          containerPort: 8080
        env:
        - name: POD
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {memory: 256Mi}
        livenessProbe:
          httpGet: {path: /healthz, port: http}
        readinessProbe:
          httpGet: {path: /readyz, port: http}
        securityContext:
          allowPrivilegeEscalation: false
          capabilities:
            drop: [ALL]
        volumeMounts:
        - name: config
          mountPath: /etc/web
      volumes:
      - name: config
        configMap:
          name: config
          optional: true
`

const service = (name: string, namespace: string): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  selector: {app.kubernetes.io/name: web}
  ports:
  - {name: http, port: 80, targetPort: http}
`

const configMap = (name: string, namespace: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: ${namespace}}
data:
  config.yaml: |
    a: 1
    b: [x, y, z]
`

const networkPolicy = (name: string, namespace: string): string => `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  podSelector:
    matchLabels: {app.kubernetes.io/name: web}
  ingress:
  - from:
    - namespaceSelector:
        matchLabels: {a: b}
    ports:
    - port: 8080
`

const KINDS = [deployment, deployment, service, configMap, networkPolicy]

const folder = mkdtempSync(join(tmpdir(), 'bench-check-'))
try {
  const texts: string[][] = Array.from({ length: FILES }, () => [])
  for (let i = 0; i < OBJECTS; i++) {
    const namespace = `ns-${i % NAMESPACES}`
    const text =
      i < NAMESPACES
        ? `apiVersion: v1\nkind: Namespace\nmetadata: {name: ns-${i}}\n`
        : KINDS[Math.floor(i / FILES) % KINDS.length]?.(`web-${i}`, namespace)
    texts[i % FILES]?.push(text ?? '')
  }
  for (const [i, objects] of texts.entries()) writeFileSync(join(folder, `${i}.yaml`), objects.join('---\n'))
  const runs = Array.from({ length: RUNS }, () => {
    const began = performance.now()
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--stack-size=6500', '--import', REPORT, 'bin/binnacle', 'check', '-f', folder, '--release', '1.36'],
      { encoding: 'utf8' },
    )
    const wall = performance.now() - began
    if (status !== 0 || !stdout.includes(`${OBJECTS} objects checked`)) throw new Error(`the check failed:\n${stdout}${stderr}`)
    const { maxRSS, cpu }: { maxRSS: number; cpu: number } = JSON.parse(stderr)
    return { wall, cpu: cpu / 1000, megabytes: maxRSS / 1024 }
  })
  const least = (member: 'wall' | 'cpu'): string => `${(Math.min(...runs.map(run => run[member])) / 1000).toFixed(2)} s`
  console.log(
    `check of ${OBJECTS} objects in ${FILES} files: ${least('wall')} wall, ${least('cpu')} CPU, ${Math.max(...runs.map(run => run.megabytes)).toFixed(0)} MB (${RUNS} runs)`,
  )
} finally {
  rmSync(folder, { recursive: true })
}

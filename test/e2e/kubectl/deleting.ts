import type { Script, Step } from './script.ts'

const REPLICA_SET = `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web
  labels: { app: web }
  ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: web, uid: "{deployment}", controller: true, blockOwnerDeletion: true }]
spec:
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: nginx, image: nginx }] } }
`

const pod = (more = ''): string => `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: { app: web }
  ownerReferences: [{ apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: "{replicaSet}", controller: true, blockOwnerDeletion: true }]
${more}spec: { containers: [{ name: nginx, image: nginx }] }
`

/** A Deployment, its ReplicaSet and a Pod, as their controllers make them. */
const tree = (podMetadata?: string): readonly Step[] => [
  ['create deployment web --image=nginx', 'deployment.apps/web created'],
  { run: 'get deployment web -o jsonpath={.metadata.uid}', prints: [/^[0-9a-f-]{36}$/], saves: 'deployment' },
  { run: 'create -f -', stdin: REPLICA_SET, prints: ['replicaset.apps/web created'] },
  { run: 'get rs web -o jsonpath={.metadata.uid}', prints: [/^[0-9a-f-]{36}$/], saves: 'replicaSet' },
  { run: 'create -f -', stdin: pod(podMetadata), prints: ['pod/web created'] },
]

const HELD = '  finalizers: [example.com/hold]\n'
const LEFT = 'get deployments,rs,pods -o name'
const RELEASE = `patch pod web --type=merge -p '{"metadata":{"finalizers":null}}'`

const SCHEDULED = `apiVersion: v1
kind: Pod
metadata: { name: busy }
spec: { nodeName: "{node}", containers: [{ name: main, image: busybox }] }
`
const busy: Step = { run: 'create -f -', stdin: SCHEDULED, prints: ['pod/busy created'] }
const GRACE = 'get pod busy -o jsonpath={.metadata.deletionGracePeriodSeconds}'

export const deleting: readonly Script[] = [
  {
    name: 'deletes in the background',
    steps: [
      ...tree(),
      ['delete deployment web --cascade=background', /^deployment\.apps "web" deleted/],
      { run: LEFT, prints: [''], eventually: true },
      ...tree(),
      ['delete deployment web', /^deployment\.apps "web" deleted/],
      { run: LEFT, prints: [''], eventually: true },
    ],
  },
  {
    name: 'deletes in the foreground',
    steps: [
      ...tree(),
      ['delete deployment web --cascade=foreground', /^deployment\.apps "web" deleted/],
      [LEFT, ''],
      ...tree(HELD),
      ['delete deployment web --cascade=foreground --wait=false', /^deployment\.apps "web" deleted/],
      { run: "get pod web -o jsonpath='{.metadata.deletionGracePeriodSeconds}'", prints: ['0'], eventually: true },
      ["get deployment web -o jsonpath='{.metadata.finalizers}'", '["foregroundDeletion"]'],
      ["get rs web -o jsonpath='{.metadata.finalizers}'", '["foregroundDeletion"]'],
      { run: 'wait deployment/web --for=delete --timeout=10s', meanwhile: RELEASE, prints: ['deployment.apps/web condition met'] },
      [LEFT, ''],
    ],
  },
  {
    name: 'deletes and leaves dependents',
    steps: [
      ...tree(),
      ['delete deployment web --cascade=orphan', /^deployment\.apps "web" deleted/],
      ["get rs web -o jsonpath='{.metadata.ownerReferences}'", ''],
      ["get pod web -o jsonpath='{.metadata.ownerReferences[*].name}'", 'web'],
      ['delete rs web --cascade=orphan', /^replicaset\.apps "web" deleted/],
      ["get pod web -o jsonpath='{.metadata.ownerReferences}'", ''],
      [LEFT, 'pod/web'],
    ],
  },
  {
    name: 'deletes pods gracefully, soon and immediately',
    steps: [
      busy,
      ['delete pod busy --wait=false', /^pod "busy" deleted/],
      [GRACE, '30'],
      ['delete pod busy --grace-period=40 --wait=false', /^pod "busy" deleted/],
      [GRACE, '30'],
      ['delete pod busy --grace-period=5 --wait=false', /^pod "busy" deleted/],
      [GRACE, '5'],
      ['get pod busy', /^busy +0\/1 +Terminating /m],
      ['delete pod busy --now --wait=false', /^pod "busy" deleted/],
      [GRACE, '1'],
      { run: 'delete pod busy --timeout=1s', prints: [/timed out waiting for the condition/], fails: true },
      ['delete pod busy --force --grace-period=0', /^pod "busy" force deleted/m, /Immediate deletion does not wait/],
      { run: 'get pod busy', prints: [/NotFound/], fails: true },
      busy,
      { run: 'delete pod busy', meanwhile: 'delete pod busy --force', prints: [/^pod "busy" deleted/] },
      busy,
      ['delete pod busy --dry-run=server', /^pod "busy" deleted.*\(server dry run\)/],
      [GRACE, ''],
      ['delete pod busy --grace-period=0 --force --wait=false', /^pod "busy" force deleted/m],
    ],
  },
  {
    name: 'waits for finalizers',
    steps: [
      {
        run: 'create -f -',
        stdin: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: held, finalizers: [example.com/hold] }\n',
        prints: ['configmap/held created'],
      },
      { run: 'delete cm held --timeout=1s', prints: [/timed out waiting for the condition/], fails: true },
      {
        run: `patch cm held --type=merge -p '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'`,
        prints: [
          /metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"example\.com\/more"\}/,
        ],
        fails: true,
      },
      {
        run: 'delete cm held',
        meanwhile: `patch cm held --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`,
        prints: [/^configmap "held" deleted/],
      },
      { run: 'get cm held', prints: [/NotFound/], fails: true },
    ],
  },
]

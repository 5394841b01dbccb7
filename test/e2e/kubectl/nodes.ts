import type { Script } from './script.ts'

const node = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: '{node}', labels: { 'kubernetes.io/os': 'linux', 'node-role.kubernetes.io/worker': '' } },
})
const placed = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'placed' },
  spec: { nodeName: '{node}', containers: [{ name: 'c', image: 'i' }] },
})

export const nodes: readonly Script[] = [
  {
    name: 'cordons, taints and drains a node',
    steps: [
      { run: 'create -f -', stdin: node, prints: [/node\/\S+ created/] },
      ['get node {node}', /^\S+ +Unknown +worker +\d+s/m],
      ['get nodes -l node-role.kubernetes.io/worker -o name', /node\//],
      ["get node {node} -o jsonpath='{.spec.taints[*].key}'", 'node.kubernetes.io/not-ready'],
      ['taint node {node} dedicated=x:NoSchedule', /tainted/],
      ["get node {node} -o jsonpath='{.spec.taints[0].key}'", 'dedicated'],
      ['taint node {node} dedicated-', /untainted/],
      ['cordon {node}', /node\/\S+ cordoned/],
      ['get node {node}', /Unknown,SchedulingDisabled/],
      ['uncordon {node}', /node\/\S+ uncordoned/],
      { run: 'create -f -', stdin: placed, prints: ['pod/placed created'] },
      ['get pods --field-selector spec.nodeName={node} -o name', 'pod/placed'],
      ['describe node {node}', /^Unschedulable: +false$/m, /placed/],
      ['drain {node} --force --grace-period=0 --timeout=20s', /evicting pod \S+\/placed/, /node\/\S+ drained/],
      { run: 'get pod placed', prints: [/NotFound/], fails: true },
      ['delete node {node}', /node "\S+" deleted/],
    ],
  },
  {
    name: 'drains a node as budgets allow',
    steps: [
      { run: 'create -f -', stdin: node, prints: [/node\/\S+ created/] },
      { run: 'create -f -', stdin: placed, prints: ['pod/placed created'] },
      ['label pod placed app=a', 'pod/placed labeled'],
      [
        'patch pod placed --subresource=status --type=merge -p \'{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}\'',
        /pod\/placed patched/,
      ],
      ['create poddisruptionbudget few --selector=app=a --min-available=1', /poddisruptionbudget.policy\/few created/],
      [
        'patch pdb few --subresource=status --type=merge -p \'{"status":{"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1}}\'',
        /patched/,
      ],
      ['get pdb few', /^few +1 +N\/A +0 +\d+s/m],
      {
        run: 'drain {node} --force --grace-period=0 --timeout=2s',
        prints: [/Cannot evict pod as it would violate the pod's disruption budget/],
        fails: true,
      },
      ['patch pdb few --subresource=status --type=merge -p \'{"status":{"disruptionsAllowed":1}}\'', /patched/],
      ['drain {node} --force --grace-period=0 --timeout=20s', /evicting pod \S+\/placed/, /node\/\S+ drained/],
      ["get pdb few -o jsonpath='{.status.disruptionsAllowed}{.status.conditions[0].reason}'", '0InsufficientPods'],
      ['delete node {node}', /node "\S+" deleted/],
    ],
  },
  {
    name: 'reports commands that need more of a cluster',
    steps: [
      ['run one --image=busybox', 'pod/one created'],
      { run: 'top pods', prints: [/Metrics API not available/], fails: true },
      ['logs one', ''],
      { run: 'exec one -- true', prints: [/pod one does not have a host assigned/], fails: true },
    ],
  },
]

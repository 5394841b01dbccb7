import type { Script } from './script.ts'

const map = (name: string, value: string, label = 'set=one'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels: {${label.replace('=', ': ')}}\ndata: {v: "${value}"}\n`

const pruned = 'apply -f - --prune -l set=one --prune-allowlist=core/v1/ConfigMap'

export const applying: readonly Script[] = [
  {
    name: 'applies from the client, unchanged at the second time',
    steps: [
      [
        'apply -f {files}/web.yaml',
        /configmap\/web-config created/,
        /secret\/web-secret created/,
        /service\/web created/,
        /deployment\.apps\/web created/,
      ],
      [
        'apply -f {files}/web.yaml',
        'configmap/web-config unchanged\nsecret/web-secret configured\nserviceaccount/web unchanged\nservice/web unchanged\ndeployment.apps/web unchanged',
      ],
      ['apply -f {files}/store.yaml', /statefulset\.apps\/store created/, /daemonset\.apps\/agent created/],
      [
        'apply -f {files}/store.yaml',
        'service/store unchanged\nstatefulset.apps/store unchanged\ndaemonset.apps/agent unchanged\npersistentvolumeclaim/scratch unchanged\n' +
          'replicationcontroller/old unchanged\nlimitrange/limits unchanged',
      ],
      ['apply view-last-applied cm web-config', /greeting: hello/],
      ['diff -f {files}/store.yaml', ''],
      ['delete -f {files}/web.yaml -f {files}/store.yaml', /deployment\.apps "web" deleted/, /limitrange "limits" deleted/],
      ['get all -l app', /No resources found/],
    ],
  },
  {
    name: 'changes and removes by apply',
    steps: [
      { run: 'apply -f -', stdin: map('a', '1'), prints: ['configmap/a created'] },
      { run: 'diff -f -', stdin: map('a', '2'), prints: [/^- {2}v: "1"$/m, /^\+ {2}v: "2"$/m], fails: true },
      { run: 'apply -f - --dry-run=server', stdin: map('a', '2'), prints: ['configmap/a configured (server dry run)'] },
      { run: 'apply -f -', stdin: map('a', '2'), prints: ['configmap/a configured'] },
      { run: 'apply -f -', stdin: map('a', '2').replace('data: {v: "2"}', 'data: {}'), prints: ['configmap/a configured'] },
      ["get cm a -o jsonpath='{.data}'", ''],
      ['create cm made --from-literal=v=1', 'configmap/made created'],
      {
        run: 'apply -f -',
        stdin: map('made', '2'),
        prints: [/missing the kubectl\.kubernetes\.io\/last-applied-configuration annotation/, /configmap\/made configured/],
      },
    ],
  },
  {
    name: 'prunes objects that are no longer applied',
    steps: [
      { run: pruned, stdin: `${map('a', '1')}---\n${map('b', '1')}`, prints: [/configmap\/a created/, /configmap\/b created/] },
      { run: 'apply -f -', stdin: map('c', '1', 'set=two'), prints: ['configmap/c created'] },
      { run: pruned, stdin: map('a', '1'), prints: [/configmap\/a unchanged/, /configmap\/b pruned/] },
      ['get cm -l set -o name', 'configmap/a\nconfigmap/c'],
    ],
  },
  {
    name: 'reports rollouts',
    steps: [
      ['apply -f {files}/web.yaml', /deployment\.apps\/web created/],
      {
        run: 'rollout status deployment/web --timeout=10s',
        meanwhile: `patch deployment web --subresource=status --type=merge -p '{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":2,"readyReplicas":2}}'`,
        prints: [/Waiting for deployment/, /deployment "web" successfully rolled out/],
      },
      ['get deployment web', /^web +2\/2 +2 +2 /m],
      ['rollout history deployment/web', /REVISION +CHANGE-CAUSE|No rollout history found/],
      ['rollout pause deployment/web', 'deployment.apps/web paused'],
      ['rollout resume deployment/web', 'deployment.apps/web resumed'],
      ['rollout restart deployment/web', 'deployment.apps/web restarted'],
      ["get deployment web -o jsonpath='{.spec.template.metadata.annotations}'", /restartedAt/],
    ],
  },
]

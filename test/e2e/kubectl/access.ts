import type { Script } from './script.ts'

const binding = JSON.stringify({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'readers', namespace: '{ns}' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
})

export const access: readonly Script[] = [
  {
    name: 'checks the user and its rights',
    steps: [
      { run: 'auth whoami', prints: [/^Username +kubernetes-admin$/m, /system:masters system:authenticated/], since: 28 },
      ['auth can-i delete nodes', /^yes$/m],
      { run: 'auth can-i get pods --as=nobody', prints: [/^no$/m], fails: true },
      ['auth can-i --list', /^\*\.\* +\[\] +\[\] +\[\*\]$/m],
    ],
  },
  {
    name: 'gets tokens of service accounts',
    steps: [
      ['create serviceaccount bot', 'serviceaccount/bot created'],
      ['create token bot', /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/m],
      ['create token bot --duration=30m --audience=there', /^eyJ/m],
      { run: 'create token bot --duration=1m', prints: [/may not specify a duration less than 10 minutes/], fails: true },
      { run: 'create token nobody', prints: [/serviceaccounts "nobody" not found/], fails: true },
      ['create secret generic s', 'secret/s created'],
      ['create token bot --bound-object-kind=Secret --bound-object-name=s', /^eyJ/m],
      { run: 'create token bot --bound-object-kind=Secret --bound-object-name=x', prints: [/secrets "x" not found/], fails: true },
    ],
  },
  {
    name: 'makes roles and gives them',
    steps: [
      ['create role eater --verb=get,list --resource=pods', 'role.rbac.authorization.k8s.io/eater created'],
      [
        'create rolebinding eaters --role=eater --user=joe --serviceaccount={ns}:bot',
        'rolebinding.rbac.authorization.k8s.io/eaters created',
      ],
      ['get rolebindings -o wide', /^eaters +Role\/eater +\d+s +joe +\S+\/bot$/m],
      ['describe role eater', /^ +pods +\[\] +\[\] +\[get list\]$/m],
      { run: 'auth reconcile -f -', stdin: binding, prints: [/rolebinding.rbac.authorization.k8s.io\/readers reconciled/] },
      { run: 'auth reconcile -f -', stdin: binding, prints: [/readers reconciled/] },
      { run: `patch rolebinding readers -p '{"roleRef":{"name":"edit"}}'`, prints: [/cannot change roleRef/], fails: true },
      ['get clusterrole view -o name', 'clusterrole.rbac.authorization.k8s.io/view'],
    ],
  },
]

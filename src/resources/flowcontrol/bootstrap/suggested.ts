import {
  ALL,
  clusterRule,
  flowSchema,
  groups,
  type NewLevel,
  type NewSchema,
  namespacedRule,
  pathRule,
  queuedLevel,
  systemAccounts,
  users,
} from './parts.ts'

/** Subjects of all requests. Administrators may change or delete the objects in this file. */
const EVERYBODY = groups('system:unauthenticated', 'system:authenticated')
const NODES = groups('system:nodes')
/** Verbs of a client that maintains a lock object. */
const KEEPING = ['get', 'create', 'update']
const LEASES = 'coordination.k8s.io'

/**
 * Levels that are created once, and updated only while their annotation allows it. Source:
 * pkg/apis/flowcontrol/bootstrap in k8s.io/apiserver.
 */
export const SUGGESTED_LEVELS: readonly NewLevel[] = [
  queuedLevel('system', 30, 33, 64, 6),
  queuedLevel('node-high', 40, 25, 64, 6),
  queuedLevel('leader-election', 10, 0, 16, 4),
  queuedLevel('workload-high', 40, 50, 128, 6),
  queuedLevel('workload-low', 100, 90, 128, 6),
  queuedLevel('global-default', 20, 50, 128, 6),
]

/** Schemas in order of precedence. They are created once, and updated only while their annotation allows it. */
export const SUGGESTED_SCHEMAS: readonly NewSchema[] = [
  flowSchema('system-nodes', { level: 'system', precedence: 500, by: 'ByUser', subjects: NODES, ...ALL }),
  flowSchema('system-node-high', {
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: NODES,
    resourceRules: [clusterRule(['*'], '', 'nodes', 'nodes/status'), namespacedRule(['*'], LEASES, 'leases')],
  }),
  flowSchema('probes', {
    level: 'exempt',
    precedence: 2,
    subjects: EVERYBODY,
    nonResourceRules: [pathRule(['get'], '/healthz', '/readyz', '/livez')],
  }),
  flowSchema('system-leader-election', {
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [...users('system:kube-controller-manager', 'system:kube-scheduler'), ...systemAccounts('*')],
    resourceRules: [namespacedRule(KEEPING, LEASES, 'leases')],
  }),
  flowSchema('workload-leader-election', {
    level: 'leader-election',
    precedence: 200,
    by: 'ByUser',
    subjects: systemAccounts('*'),
    resourceRules: [namespacedRule(KEEPING, '', 'endpoints', 'configmaps'), namespacedRule(KEEPING, LEASES, 'leases')],
  }),
  flowSchema('endpoint-controller', {
    level: 'workload-high',
    precedence: 150,
    by: 'ByUser',
    subjects: [...users('system:kube-controller-manager'), ...systemAccounts('endpoint-controller', 'endpointslicemirroring-controller')],
    resourceRules: [namespacedRule(KEEPING, '', 'endpoints')],
  }),
  flowSchema('kube-controller-manager', {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: users('system:kube-controller-manager'),
    ...ALL,
  }),
  flowSchema('kube-scheduler', {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: users('system:kube-scheduler'),
    ...ALL,
  }),
  flowSchema('kube-system-service-accounts', {
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: systemAccounts('*'),
    ...ALL,
  }),
  flowSchema('service-accounts', {
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: groups('system:serviceaccounts'),
    ...ALL,
  }),
  flowSchema('global-default', { level: 'global-default', precedence: 9900, by: 'ByUser', subjects: EVERYBODY, ...ALL }),
]

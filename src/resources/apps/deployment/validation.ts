import type { Deployment, DeploymentSpec, RollingUpdateDeployment } from '../../../api/apps/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { invalid, notSupported } from '../../../meta/field-error.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { all, excluded, field, fields, mandatory, onUpdate, type Rule, rules, union } from '../../../meta/rules.ts'
import { validateReplicas } from '../../core/workload/replicas.ts'
import { requiredSelector, validateSelectorUnchanged } from '../../core/workload/template.ts'
import { atMost, validateNotDecremented } from '../../shared/counts.ts'
import { goIntOrStringValue } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { intOrPercentValue, validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'

/** Checks that surge and unavailability are not both zero: the update could not make progress. */
const makesProgress: Rule<RollingUpdateDeployment> = ({ maxUnavailable, maxSurge }, path) =>
  intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0
    ? [invalid(path.child('maxUnavailable'), goIntOrStringValue(maxUnavailable), 'may not be 0 when `maxSurge` is 0')]
    : []

const rollingUpdate = all<RollingUpdateDeployment>(
  field('maxUnavailable', validateIntOrPercent),
  field('maxSurge', validateIntOrPercent),
  makesProgress,
  field('maxUnavailable', validateAtMost100Percent),
)

const exceedsMinReady: Rule<DeploymentSpec> = ({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }, path) =>
  deadline !== undefined && deadline <= minReadySeconds
    ? [invalid(path.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds')]
    : []

/** Validates a Deployment. Source: pkg/apis/apps/validation in k8s.io/kubernetes. */
export const validateDeployment = rules<Deployment, HookContext>()(
  field(
    'spec',
    field('replicas', validateNonNegative),
    field('selector', requiredSelector('deployment')),
    validateReplicas,
    field(
      'strategy',
      union(
        'type',
        {
          Recreate: field('rollingUpdate', excluded("may not be specified when strategy `type` is 'Recreate'")),
          RollingUpdate: field('rollingUpdate', mandatory('this should be defaulted and never be nil', rollingUpdate)),
        },
        (strategy, path, known) => [notSupported(path, goValue('apps.DeploymentStrategy', strategy), known)],
      ),
    ),
    fields(['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'], validateNonNegative),
    exceedsMinReady,
    onUpdate(field('selector', validateSelectorUnchanged)),
  ),
)

const TOTAL = 'cannot be greater than status.replicas'

/** Validates the status. The collision count only increases, because it is hashed into names of replica sets. */
export const validateDeploymentStatus = rules<Deployment>()(
  field(
    'status',
    fields(
      ['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', 'collisionCount'],
      validateNonNegative,
    ),
    atMost('updatedReplicas', 'replicas', TOTAL),
    atMost('readyReplicas', 'replicas', TOTAL),
    atMost('availableReplicas', 'replicas', TOTAL),
    atMost('availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'),
    field('collisionCount', validateNotDecremented),
  ),
)

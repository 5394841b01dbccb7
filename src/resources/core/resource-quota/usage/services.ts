import type { Service } from '../../../../api/core/v1.types.ts'
import { asKind } from '../../../../catalog/define.ts'
import { parseQuantity, type Quantity } from '../../../../meta/quantity.ts'
import { SERVICES } from '../../../kinds.ts'
import { type Amounts, ONE, ZERO } from './amounts.ts'
import { countName, type Evaluator, isCreationOrUpdate } from './evaluator.ts'

const LOAD_BALANCERS = 'services.loadbalancers'
const NODE_PORTS = 'services.nodeports'
const COUNT = countName(SERVICES)
const NAMES = new Set([COUNT, 'services', NODE_PORTS, LOAD_BALANCERS])

/** Number of ports that have or will get a node port. The port numbers are not known yet when a service is admitted. */
function nodePorts({ spec }: Service): Quantity {
  const ports = spec.ports ?? []
  if (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false)
    return quantityOf(ports.filter(({ nodePort = 0 }) => nodePort !== 0).length)
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer' ? quantityOf(ports.length) : ZERO
}

const quantityOf = (count: number): Quantity => parseQuantity(String(count))

/** Evaluator for services. Source: pkg/quota/v1/evaluator/core/services.go in k8s.io/kubernetes. */
export const serviceEvaluator: Evaluator = {
  resource: SERVICES,
  handles: isCreationOrUpdate,
  counts: name => NAMES.has(name),
  usage: (object): Amounts => {
    const service = asKind(SERVICES, object)
    return new Map([
      [COUNT, ONE],
      ['services', ONE],
      [LOAD_BALANCERS, service.spec.type === 'LoadBalancer' ? ONE : ZERO],
      [NODE_PORTS, nodePorts(service)],
    ])
  },
}

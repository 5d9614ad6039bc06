/** The table's rows with their measurements, as data: for the terminal, JSON, the chart and docs/benchmarks.md. */
import {
  missing,
  reaches,
  resultOf,
  unitOf,
  units,
  type Quantities,
  type Reduced,
  type Row,
  type Subject,
} from '../figures.js';
import { threeDigits } from '../statistics.js';

export interface Side {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Processor time of the program per request. */
  readonly cpuMs?: number;
  /** Share of a processor that the load generator used. */
  readonly client?: number;
}

export interface Result {
  readonly name: string;
  readonly own: Side | undefined;
  readonly baseline: Side | undefined;
  /** The figure, in `unit`; absent if it could not be measured. */
  readonly result: number | undefined;
  readonly unit: string;
  readonly demand: 'at least' | 'at most';
  readonly must: number;
  readonly aim: number;
  readonly outcome: 'aim' | 'must' | 'missed' | 'not measured';
  /** Why it was not measured. */
  readonly problem?: string;
}

/** @param problem why the comparison of this row ended early */
export function resultOfRow(row: Row, reduced: Reduced, problem?: string): Result {
  const { name, own, baseline, compare, must, aim } = row;
  const value = resultOf(row, reduced);
  const result = value === undefined || Number.isNaN(value) ? undefined : value;
  const why = problem ?? missing(row);
  return {
    name,
    own: sideOf(own, reduced(own), row),
    baseline: baseline === undefined ? undefined : sideOf(baseline, reduced(baseline), row),
    result: result === undefined ? undefined : threeDigits(result),
    unit: unitOf(row),
    demand: compare.demand,
    must,
    aim,
    outcome: outcomeOf(row, result),
    ...(result === undefined && why !== undefined ? { problem: why } : {}),
  };
}

function outcomeOf({ compare, must, aim }: Row, result: number | undefined): Result['outcome'] {
  if (result === undefined) return 'not measured';
  if (reaches(compare, result, aim)) return 'aim';
  return reaches(compare, result, must) ? 'must' : 'missed';
}

function sideOf({ name }: Subject, quantities: Quantities = {}, row: Row): Side | undefined {
  const value = quantities[row.quantity];
  if (value === undefined) return undefined;
  const { cpu, client } = quantities;
  return {
    name,
    value: threeDigits(value),
    unit: units[row.quantity],
    ...(cpu === undefined ? {} : { cpuMs: threeDigits(cpu) }),
    ...(client === undefined ? {} : { client: threeDigits(client) }),
  };
}

import type { GetOrderResult, PreparePaymentInput, ProcessPaymentResult } from '../api/client.generated.ts';

export type Order = GetOrderResult;
export type Payment = ProcessPaymentResult['payment'];
export type PayMethod = Order['method'];
export type RefundAccount = NonNullable<PreparePaymentInput['body']['refundAccount']>;

/** Word between the tabs of one browser that a reservation's payment has moved on. Without the channel each sees it when it asks. */
export function tellPaymentNews(reservationId: string): void {
  const channel = open(reservationId);
  channel?.postMessage('moved');
  channel?.close();
}

/** Returns how to stop. */
export function listenToPayment(reservationId: string, hear: () => void): () => void {
  const channel = open(reservationId);
  channel?.addEventListener('message', hear);
  return () => channel?.close();
}

function open(reservationId: string): BroadcastChannel | null {
  return 'BroadcastChannel' in globalThis ? new BroadcastChannel(`urr-payment-${reservationId}`) : null;
}

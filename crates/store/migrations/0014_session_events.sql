-- Names the event of a sign-in with a browser like the events of other new objects.
UPDATE events SET kind = 'sessionCreated',
    payload = REPLACE(payload, '"kind":"sessionBegun"', '"kind":"sessionCreated"')
WHERE kind = 'sessionBegun';
UPDATE audit_events SET action = 'session.created',
    payload = REPLACE(payload, '"kind":"sessionBegun"', '"kind":"sessionCreated"')
WHERE action = 'session.begun';

"""Claims against chunks, with what the context says about them: the table that the lexical judge is held to."""

from evaluators.facets import Support

YES, NO, UNKNOWN = Support.SUPPORTED, Support.CONTRADICTED, Support.NOT_IN_CONTEXT

REFUND = "Refunds: customers may return any product for a full refund within 30 days of purchase."
DELIVERY = "Standard delivery within the EU takes 3 to 5 business days. Express delivery takes 1 business day."
PLANS = "The Basic plan keeps logs for 30 days. The Premium plan keeps logs for 90 days."
FOUNDED = "Acme Robotics was founded in 1987 by Maria Keller in Zurich. It employs 2,400 people in 14 countries."
OPENING = "The museum is open Tuesday to Sunday from 9 am to 5 pm. Admission is free for children under 12."
PASSWORD = "Users must not share their password. Passwords must be changed every 90 days."
WARRANTY = "The warranty covers manufacturing defects for two years. Accidental damage is excluded from the warranty."
BATTERY = "The battery lasts up to 12 hours of video playback and 48 hours of standby."
TIERS = "The free tier includes 5 GB of storage; the Pro tier includes 100 GB."
REVENUE = "In 2019, revenue was $4.2 million; in 2020 it fell to $3.1 million."
ROOM = "The room holds 40 guests seated or 60 standing."
HOURS = "The museum opens at 7:00 and closes at 22:00."
MEMBERS = "Members pay $10 per month or $100 per year."

# (claim, chunk, support, kind of conflict): contradictions that must be found, with the right kind.
CONTRADICTIONS = [
    ("The museum opens at 9:00.", HOURS, "date"),
    ("The museum closes at 23:00.", HOURS, "date"),
    ("Registration opens on 3 May.", "Registration opens on 1 May and closes on 30 June.", "date"),
    ("Le musée ouvre à 9:00.", "Le musée ouvre à 7:00 et ferme à 22:00.", "date"),
    ("You can get a full refund within 90 days of purchase.", REFUND, "number"),
    ("You can return any product for a full refund within ninety days of purchase.", REFUND, "number"),
    ("You can return any product for a full refund within 30 hours of purchase.", REFUND, "unit"),
    ("Customers may return any product within 3 weeks of purchase for a full refund.", REFUND, "number"),
    ("Standard delivery within the EU takes 7 to 10 business days.", DELIVERY, "number"),
    ("Standard delivery within the EU takes 3 to 5 weeks.", DELIVERY, "unit"),
    ("The Basic plan keeps logs for 90 days.", PLANS, "number"),
    ("Acme Robotics was founded in 1978 in Zurich.", FOUNDED, "date"),
    ("Acme Robotics was founded in 1987 by Peter Schmid in Zurich.", FOUNDED, "name"),
    ("It employs 4,200 people in 14 countries.", FOUNDED, "number"),
    ("It employs 2,400 people in 40 countries.", FOUNDED, "number"),
    ("The museum is open Tuesday to Sunday from 9 am to 8 pm.", OPENING, "date"),
    ("Admission is free for children under 16.", OPENING, "number"),
    ("Users must share their password.", PASSWORD, "negation"),
    ("Passwords must be changed every 30 days.", PASSWORD, "number"),
    ("The warranty covers manufacturing defects for five years.", WARRANTY, "number"),
    ("Accidental damage is included in the warranty.", WARRANTY, "negation"),
    ("The fee is 25%.", "The fee is 2.5% of the amount.", "number"),
    ("The licence costs $300 per seat and year.", "A licence costs $200 per seat and year.", "number"),
    ("The licence costs €200 per seat and year.", "The licence costs $200 per seat and year.", "unit"),
    ("The device weighs 2.5 kg with its battery.", "The device weighs 1.2 kg with its battery.", "number"),
    ("Uploads are limited to 50 GB per file.", "Uploads are limited to 50 MB per file.", "unit"),
    (
        "Version 3 reaches its end of support on June 19, 2024.",
        "Version 3 reaches its end of support on June 19, 2023.",
        "date",
    ),
    ("The deadline for applications is 15 March 2025.", "The deadline for applications is 2025-03-31.", "date"),
    ("The contract ends on 14/07/2018.", "The contract ends on 15 July 2018.", "date"),
    ("The office is closed on Mondays.", "The office is open on Mondays.", "negation"),
    ("Prices increased in the second quarter.", "Prices decreased in the second quarter.", "negation"),
    ("The parcel must be registered after shipping.", "The parcel must be registered before shipping.", "negation"),
    (
        "Vulnerability Advisor scans encrypted images.",
        "Vulnerability Advisor does not scan encrypted images.",
        "negation",
    ),
    ("The API doesn't support pagination.", "The API supports pagination.", "negation"),
    ("The ticket is refundable.", "The ticket is non-refundable.", "negation"),
    ("Guests cannot bring pets into the garden.", "Guests can bring pets into the garden.", "negation"),
    (
        "The Court of Appeals is located in Lyon near the station.",
        "The Court of Appeals is located in Paris near the station.",
        "name",
    ),
    (
        "The song was produced by Benny Blanco and released in April.",
        "The song was produced by Murda Beatz and released in April.",
        "name",
    ),
    ("The NFL has 30 teams.", "The NFL consists of 32 teams, divided into two conferences.", "number"),
    ("The tower is 200 metres tall and has 50 floors.", "The tower is 310 metres tall and has 50 floors.", "number"),
    ("The battery lasts 48 hours of video playback.", BATTERY, "number"),
    ("The free tier includes 100 GB of storage.", TIERS, "number"),
    ("This medicine can be taken with alcohol.", "This medicine must not be taken with alcohol.", "negation"),
    ("Data is not encrypted at rest.", "Data is encrypted at rest and in transit.", "negation"),
    ("Smoking is allowed in the building.", "Smoking is prohibited in the building.", "negation"),
    ("The update is optional.", "The update is mandatory.", "negation"),
    (
        "The policy applies to contractors.",
        "The policy does not apply to contractors, who must insure themselves.",
        "negation",
    ),
    ("The population was 3,586 at the 2010 census.", "The population was 2,586 at the 2010 census.", "number"),
    ("Orders over $75 ship free.", "We ship to 30 countries. Orders over $50 ship free.", "number"),
    ("Take 2 tablets every 4 hours.", "Take 2 tablets every 6 hours; do not exceed 8 tablets in 24 hours.", "number"),
    ("The flight departs at 15:35 from gate B12.", "The flight departs at 14:35 from gate B12.", "date"),
    (
        "You must be at least 21 years old to open an account.",
        "You must be at least 18 years old to open an account.",
        "number",
    ),
    # German, French, Spanish, Italian, Portuguese, Dutch, Russian, Indonesian
    (
        "Die Rückgabe ist innerhalb von 90 Tagen möglich.",
        "Die Rückgabe ist innerhalb von 30 Tagen nach dem Kauf möglich.",
        "number",
    ),
    ("Die Garantie gilt nicht für Akkus.", "Die Garantie gilt für Akkus.", "negation"),
    (
        "Le retour est possible sous 60 jours après l'achat.",
        "Le retour est possible sous 14 jours après l'achat.",
        "number",
    ),
    (
        "Los clientes pueden devolver el producto en un plazo de 60 días.",
        "Los clientes pueden devolver el producto en un plazo de 30 días.",
        "number",
    ),
    ("La reunión será el 12 de mayo de 2024.", "La reunión será el 21 de mayo de 2024.", "date"),
    (
        "La garanzia dura cinque anni dalla data di acquisto.",
        "La garanzia dura due anni, ovvero 24 mesi dalla data di acquisto.",
        "number",
    ),
    ("O prazo de entrega é de 10 dias úteis.", "O prazo de entrega é de 5 dias úteis.", "number"),
    ("De garantie geldt niet voor accu's.", "De garantie geldt voor accu's.", "negation"),
    (
        "Возврат возможен в течение 90 дней после покупки.",
        "Возврат возможен в течение 30 дней после покупки.",
        "number",
    ),
    (
        "Pengembalian dapat dilakukan dalam 60 hari setelah pembelian.",
        "Pengembalian dapat dilakukan dalam 30 hari setelah pembelian.",
        "number",
    ),
    (
        "Menurut Sean tidak ada kerusakan di bagian belakang.",
        "Menurut Sean ada kerusakan di bagian belakang.",
        "negation",
    ),
    # Chinese, Japanese, Korean, Hindi, Arabic
    ("退款必须在90天内申请。", "退款必须在30天内申请。", "number"),
    ("退款必须在九十天内申请。", "退款必须在三十天内申请。", "number"),
    ("电池不包括在保修范围内。", "电池包括在保修范围内。", "negation"),
    ("会议于2024年5月12日举行。", "会议于2024年5月21日举行。", "date"),
    ("返品は購入から90日以内に可能です。", "返品は購入から30日以内に可能です。", "number"),
    ("환불은 구매 후 90일 이내에 가능합니다.", "환불은 구매 후 30일 이내에 가능합니다.", "number"),
    ("वापसी खरीद के 90 दिन के भीतर संभव है।", "वापसी खरीद के ३० दिन के भीतर संभव है।", "number"),
    ("يمكن إرجاع المنتج خلال 90 يوما من الشراء.", "يمكن إرجاع المنتج خلال ٣٠ يوما من الشراء.", "number"),
]

# Hard cases that must never be called contradictions: (claim, chunk, least support: YES where it must be supported).
AGREEMENTS = [
    (
        "You can return a product within 30 days of purchase for a full refund.",
        REFUND + " The trial lasts 90 days.",
        YES,
    ),
    ("Standard delivery takes 3 to 5 business days within the EU.", DELIVERY, YES),
    ("Delivery within the EU takes 3–5 days as standard.", DELIVERY, YES),
    ("Standard delivery within the EU takes about 4 days.", DELIVERY, None),
    ("The Premium plan keeps logs for 90 days.", PLANS, YES),
    ("The Basic plan keeps logs for 30 days.", PLANS, YES),
    ("Premium customers keep logs for 90 days.", PLANS, None),
    ("The warranty covers manufacturing defects for 2 years.", WARRANTY, YES),
    (
        "There is a two-year warranty on manufacturing defects.",
        "Manufacturing defects are under warranty for 2 years.",
        None,
    ),
    ("The warranty covers manufacturing defects for 24 months.", WARRANTY, None),
    ("The trial lasts 14 days.", "The trial lasts 2 weeks.", None),
    ("The trial lasts two weeks.", "The trial lasts 14 days.", None),
    ("The fee is 3.0 percent.", "The fee is 3%.", YES),
    ("The company has 1,000 customers.", "The company has 1000 customers.", YES),
    ("About 5 million people live there.", "5,016,723 people live there.", None),
    ("More than 300 parents were helped.", "312 parents were helped by the group.", None),
    ("Up to 12 users can share a plan.", "Between 2 and 12 users can share a plan.", None),
    ("The upload limit is 1.5 GB.", "The upload limit is 1,500 MB.", None),
    ("Acme Robotics was founded in 1987.", FOUNDED, YES),
    ("Maria Keller founded Acme Robotics in Zurich.", FOUNDED, YES),
    ("It has roughly 2,500 employees.", FOUNDED, None),
    ("The deadline is 31 March 2025.", "The deadline is 2025-03-31.", YES),
    ("The support ends on June 19.", "The support ends on 19 June 2023.", YES),
    ("The support ends in June 2023.", "The support ends on 19 June 2023.", None),
    ("Call 555-0134 to reach the office.", "Call 555-0199 to reach the sales team.", None),
    ("Version 2.4.1 fixes the bug.", "Version 2.5.0 adds a feature and fixes a bug.", None),
    ("1. Open the settings. 2. Choose a plan.", "First open the settings. Then choose one of 5 plans.", None),
    ("Follow step 2 of the guide.", "Step 3 of the guide explains how to follow up.", None),
    ("Users must keep their password to themselves.", PASSWORD, None),
    ("Users must not share their password.", PASSWORD, YES),
    ("Sharing passwords is not allowed.", PASSWORD, None),
    ("Accidental damage is not included in the warranty.", WARRANTY, None),
    ("Sale items are not refundable.", "Sale items cannot be refunded, but regular items can.", None),
    ("Regular items are refundable.", "Sale items are not refundable, but regular items are refundable.", None),
    ("Shipping is free.", "Refunds are not given for sale items and shipping is free.", None),
    ("The ticket is not only valid on weekdays.", "The ticket is valid on weekdays and on weekends.", None),
    ("Applications close no later than 5 May.", "Applications close on 5 May.", None),
    ("IBM was founded in 1911.", "International Business Machines was founded in 1911.", None),
    ("The United States joined in 1917.", "America joined in 1917.", None),
    ("Dr. Keller founded the company.", "Maria Keller founded the company.", None),
    ("The group includes Bob Dylan.", "The group includes Tom Petty and Bob Dylan.", None),
    ("Members such as Alice Young were invited.", "Members such as Tom Petty were invited.", None),
    (
        "The album sold 5 million copies in 1999.",
        "It was released in 1998. The album sold 5 million copies the next year.",
        None,
    ),
    ("The first season has 10 episodes.", "The second season has 12 episodes. The first season has 10 episodes.", YES),
    ("The bridge was built between 1931 and 1934.", "The bridge was built from 1931 to 1934.", YES),
    ("The battery lasts 12 hours of video playback.", BATTERY, YES),
    ("Pro includes 100 GB of storage.", TIERS, None),
    ("Revenue in 2020 was $3.1 million.", REVENUE, YES),
    ("Revenue was $3.1 million in 2020.", REVENUE, None),
    ("The room holds 60 guests standing.", ROOM, None),
    ("Members pay $100 per year.", MEMBERS, None),
    ("The museum opens at 7:00.", HOURS, YES),
    ("The museum is open at 9:00.", HOURS, None),
    ("The museum is open at 9:00.", "The museum is open from 7:00 until 22:00.", None),
    (
        "The shop opens at 8:00 on Sundays.",
        "The shop opens at 7:00 on weekdays and closes at 22:00 on Saturdays.",
        None,
    ),
    ("Membership costs $10 a month.", MEMBERS, None),
    ("It is common for delays to occur.", "It is not uncommon for delays to occur.", None),
    ("Smoking is not allowed in the building.", "Smoking is prohibited in the building.", None),
    ("The update is optional.", "The update is not mandatory.", None),
    ("Refunds are given within 14 days.", "No refunds are given after 14 days.", None),
    ("Users cannot delete projects.", "Only administrators can delete projects.", None),
    ("Administrators can delete projects.", "Only administrators can delete projects.", None),
    ("The museum is open except on public holidays.", "The museum is closed on public holidays.", None),
    ("The deadline is 15 May.", "The deadline was extended from 1 May to 15 May.", None),
    ("The price is $60.", "The price rose from $50 to $60.", None),
    ("Take no more than 8 tablets a day.", "Do not exceed 8 tablets in 24 hours.", None),
    ("Google acquired Whole Foods in 2017.", "Amazon acquired Whole Foods in 2017 for $13.7 billion.", None),
    ("Windows 11 support ends in October 2025.", "Windows 10 support ends in October 2025. Windows 11 goes on.", None),
    ("The average response time is 0.2 seconds.", "The average response time is 200 ms, with a p99 of 900 ms.", None),
    ("The film was directed by Tom Hanks.", "The film was directed by Nora Ephron and stars Tom Hanks.", None),
    ("A 20 year old can open an account.", "You must be at least 18 years old to open an account.", None),
    ("Der Versand dauert drei bis fünf Tage.", "Die Lieferung dauert 3 bis 5 Werktage.", None),
    ("Die Garantie gilt zwei Jahre.", "Die Garantie gilt 2 Jahre.", YES),
    ("Le retour est possible sous deux semaines.", "Le retour est possible sous 14 jours.", None),
    (
        "Los clientes tienen treinta días para devolver el producto.",
        "Los clientes tienen 30 días para devolver el producto.",
        YES,
    ),
    ("退款必须在30天内申请。", "退款必须在三十天内申请。", None),
    ("保修期为两年。", "保修期为2年。", None),
    ("返品は30日以内に可能です。", "返品は購入から30日以内に可能です。", YES),
    ("환불은 30일 이내에 가능합니다.", "환불은 구매 후 30일 이내에 가능합니다.", YES),
]

# Claims that the chunk neither says nor denies.
ELSEWHERE = [
    ("The Eiffel Tower was painted red by volunteers.", REFUND),
    ("Our support team is available around the clock.", DELIVERY),
    ("Refunds are paid out in store credit vouchers.", OPENING),
    ("月亮是由奶酪制成的。", "退款必须在30天内申请。"),
]

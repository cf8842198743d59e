"""The sentences that generated tickets are made of: some of each tag, and some that say nothing of any."""

from __future__ import annotations

__all__ = [
    "CLOSINGS",
    "COMPANY_ENDS",
    "COMPANY_STARTS",
    "OPENINGS",
    "PHRASES",
    "SMALL_TALK",
    "SUBJECTS",
    "SUBJECT_ENDS",
    "SUBJECT_STARTS",
]

PHRASES: dict[str, tuple[str, ...]] = {
    "billing": (
        "The invoice of last month shows the wrong amount.",
        "We were charged twice on the same card.",
        "Our bill lists seats that nobody uses.",
        "Please send the receipt with our tax number on it.",
        "The payment did not go through although the card is valid.",
        "Why did the price on the invoice go up?",
    ),
    "refund": (
        "I would like my money back.",
        "Please return the amount to our account.",
        "When will the refund arrive?",
        "We ask for a credit for the weeks we could not work.",
        "The double charge has to be paid back.",
    ),
    "cancellation": (
        "We want to end the contract.",
        "How do I close my account for good?",
        "Please do not renew our subscription.",
        "We are leaving at the end of the quarter.",
        "I cancel the plan as of today.",
    ),
    "login": (
        "I cannot sign in since this morning.",
        "The password reset mail never arrives.",
        "My code for the second factor is refused.",
        "A new colleague does not get into her account.",
        "It says that my user is locked.",
        "Single sign-on sends me back to the first page.",
    ),
    "security": (
        "Somebody logged in from a country where we have nobody.",
        "We found a link that shows data of other customers.",
        "Our auditor asks how passwords are stored.",
        "A former employee still has access.",
        "We got a mail that looks like phishing in your name.",
    ),
    "crash": (
        "The program closes by itself when I open a large file.",
        "It freezes and then an error report pops up.",
        "After the update it stops right at the start.",
        "I see a blank screen and have to start again.",
        "An unexpected error appears on saving, see the screenshot.",
    ),
    "slow": (
        "Every page takes half a minute.",
        "Searching has become very slow.",
        "The dashboard loads for ages.",
        "Typing lags behind in the editor.",
        "Reports that took seconds now run for an hour.",
    ),
    "outage": (
        "Nothing can be reached, for nobody in our office.",
        "The whole service seems to be down.",
        "We only see error 503 on all pages.",
        "Your status page says all is well, but nothing answers.",
    ),
    "mobile": (
        "It happens on my phone only.",
        "On the tablet the buttons are cut off.",
        "I use the app on Android.",
        "The app on the iPhone does not sync.",
        "Push messages no longer come.",
    ),
    "export": (
        "The CSV download is empty.",
        "How can I export all contacts to a spreadsheet?",
        "Columns are missing in the exported file.",
        "The PDF of the report has cut tables.",
    ),
    "integration": (
        "The webhook fires twice for one event.",
        "Our API key is rejected with code 401.",
        "The connection to our CRM no longer syncs.",
        "Which rate limits hold for the API?",
        "The calendar plug-in lost its authorisation.",
    ),
    "delivery": (
        "The parcel has not come yet.",
        "Tracking says delivered, but nothing is here.",
        "One of the devices came with a broken case.",
        "Please send it to our new address.",
        "The courier left without ringing.",
    ),
    "feature request": (
        "It would be great to have a dark theme.",
        "Could you add a filter by date?",
        "We miss a way to assign tasks to groups.",
        "Is there a plan to support more languages?",
        "A keyboard shortcut for this would help a lot.",
    ),
    "urgent": (
        "This is urgent.",
        "We need an answer within the hour.",
        "Our customers are waiting right now.",
        "Please escalate this at once.",
    ),
}
"""What is written of each tag."""

SUBJECTS: dict[str, tuple[str, ...]] = {
    "billing": ("Question about our invoice", "Wrong amount charged", "Payment problem"),
    "refund": ("Refund", "Money back", "Credit for last month"),
    "cancellation": ("End of contract", "Closing our account", "Subscription"),
    "login": ("Cannot sign in", "Password", "Locked out"),
    "security": ("Strange access", "Question on data protection", "Possible leak"),
    "crash": ("Error on opening", "Program stops", "Blank screen"),
    "slow": ("Very slow today", "Loading times", "Dashboard hangs"),
    "outage": ("Service down?", "Nothing works", "Error 503"),
    "mobile": ("Problem on the phone", "App", "Tablet view"),
    "export": ("Download of data", "Empty file", "Report as PDF"),
    "integration": ("API", "Webhook", "Sync with our CRM"),
    "delivery": ("Where is our parcel?", "Broken device", "Change of address"),
    "feature request": ("An idea", "Suggestion", "Wish for the next version"),
    "urgent": ("URGENT", "Please call back", "Escalation"),
    "any": ("Help needed", "Question", "Problem with your product", "Support request", "Hello", "Follow-up"),
}
"""Subjects that speak of a tag, and those that speak of none."""

SUBJECT_STARTS = ("", "", "", "", "Re: ", "Fwd: ", "New: ")
SUBJECT_ENDS = (
    "", "", "", " again", " since Monday", " (second try)", " - please help", " on our side", ", see below",
    " for the whole team", " after the update", " in the Berlin office", " in the Madrid office", " at month's end",
)  # fmt: skip
"""What stands before and after a subject."""

OPENINGS = ("Hello,", "Hi there,", "Dear team,", "Good morning,", "Hi,", "To whom it may concern,")
CLOSINGS = (
    "Thanks!",
    "Kind regards",
    "Thank you for your help.",
    "Best wishes",
    "Looking forward to your answer.",
    "Cheers",
)
SMALL_TALK = (
    "We have been working with your product for a while.",
    "I wrote about this last week already.",
    "My colleague has the same question.",
    "I tried the steps of the help page.",
    "Let me know if you need more details.",
    "It worked well until now.",
    "I could not find anything in the manual.",
    "We are a team of twelve.",
    "Please tell me what to do next.",
    "I am not sure whether this is the right address.",
    "Sorry if this has been asked before.",
    "I attach what I have.",
)
"""What people write around the matter."""

COMPANY_STARTS = (
    "North", "Blue", "Silver", "Green", "Red", "Bright", "Stone", "River", "Cedar", "Harbour", "Summit", "Meadow",
)  # fmt: skip
COMPANY_ENDS = (
    "Foods", "Logistics", "Media", "Energy", "Clinics", "Books", "Studios", "Motors", "Garden", "Textiles",
    "Software", "Partners", "Travel", "Bikes", "Optics", "Paper", "Music", "Tools", "Homes", "Robotics",
)  # fmt: skip
